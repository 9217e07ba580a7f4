import GatehouseBSON

/// Why a client's value is no object of its class: the problems found, at most
/// ``ValidationError/mostProblems``, in the order of the value.
public struct ValidationError: Error, Hashable, Sendable {
  /// Who sends more mistakes than that has seen enough of them.
  public static let mostProblems = 100

  public let problems: [ValidationProblem]

  public init(_ problems: [ValidationProblem]) {
    self.problems = problems
  }
}

/// One rule that a value breaks, and where.
public struct ValidationProblem: Hashable, Sendable {
  /// JSON Pointer (RFC 6901) into the value; empty for the value itself.
  public internal(set) var pointer: String
  public let rule: ValidationRule

  public init(pointer: String, _ rule: ValidationRule) {
    self.pointer = pointer
    self.rule = rule
  }
}

/// The rules for values. None of them quotes the value: errors end up in logs.
public enum ValidationRule: Hashable, Sendable {
  /// An object or a patch is a document.
  case notADocument(found: ValueKind)
  /// The class has no such property.
  case unknownProperty
  /// The property occurs more than once.
  case repeatedProperty
  /// The property has neither a value nor a default, and cannot be null.
  case missing
  /// Null, where null is not legal.
  case null
  case wrongType(expected: PropertyType, found: ValueKind)
  case outOfRange(ElementType)
  /// A string that does not spell a value of that type.
  case malformed(ElementType)
  /// A map's key with a period or a zero byte in it, or a dollar sign in front.
  case illegalKey
  /// The key occurs more than once.
  case repeatedKey
  /// Linking objects are computed, and `_key` is given once, at creation.
  case readOnly
  /// A whole object in place of a link to an object of that class.
  case inlineObject(String)
  /// A document with `$ref` that is not `{"$ref": class, "$id": primary key}`.
  case malformedReference
  /// A reference to an object of another class than the link's.
  case wrongReference(expected: String)
  /// A reference to a class that is not there.
  case unknownClass(String)
  /// A reference to an object that lives inside another.
  case embeddedReference(String)
  /// A reference to an object that clients cannot see.
  case asymmetricReference(String)
  /// A list or dictionary as an element of a set.
  case collectionInSet
  /// A list or a link where a document's identifier must be, or inside of it.
  case illegalIdentifier
  /// A BSON type that no property can hold.
  case unsupportedType(found: ValueKind)
  /// Binary data of another subtype than 0, where the value says what it is.
  case unsupportedSubtype(UInt8)
  /// More levels of embedded objects, lists and dictionaries within each other.
  case tooDeep(limit: Int)
  /// The class has a rule, for the value or for its objects, that does not hold.
  case constraint(Constraint, objectType: String)

  // Edits.
  /// A JSON Patch is an array, and so is what `$each` has.
  case notAnArray(found: ValueKind)
  /// There is no such operation of JSON Patch, operator or modifier.
  case unknownOperation
  /// An operation of a JSON Patch lacks the member.
  case memberMissing
  /// No JSON Pointer or path, or an index that is no number.
  case malformedPath
  /// The path leads into a value that has no parts.
  case noPath
  /// Two operators change the same place, or a value would move into itself.
  case conflictingPath
  /// The operator means nothing for values of that type.
  case operationUnsupported(type: PropertyType)
  /// The sum does not fit into 64 bits.
  case overflow
  /// The edit copies, moves or looks through more values than one edit may.
  case tooMuchWork
}

/// The kind of a value, for errors that must not show the value itself.
public enum ValueKind: String, Hashable, Sendable {
  case null, bool, int, double, decimal128, string, data, uuid, objectId, date, document, array, timestamp
  case regularExpression, minKey, maxKey, undefined, symbol, javaScript, dbPointer

  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool: self = .bool
    case .int32, .int64: self = .int
    case .double: self = .double
    case .decimal128: self = .decimal128
    case .string: self = .string
    case .binary: self = .data
    case .uuid: self = .uuid
    case .objectID: self = .objectId
    case .date: self = .date
    case .document: self = .document
    case .array: self = .array
    case .timestamp: self = .timestamp
    case .regularExpression: self = .regularExpression
    case .minKey: self = .minKey
    case .maxKey: self = .maxKey
    case .undefined: self = .undefined
    case .symbol: self = .symbol
    case .javaScript, .javaScriptWithScope: self = .javaScript
    case .dbPointer: self = .dbPointer
    }
  }
}
