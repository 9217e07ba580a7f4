/// A way from an object to a property, an element of a collection, or something inside: `continent/name`.
///
/// It follows links and embedded objects, and leads into what mixed values hold. Only the schema has been looked at:
/// whether there is anything on the way is for the store to say.
public struct ResourcePath: Hashable, Sendable {
  /// One step.
  public enum Step: Hashable, Sendable {
    /// The property at that position of the class that the way has come to.
    case property(Int)
    /// The entry of a map.
    case key(ExactText)
    /// The element of a list; negative counts from the end.
    case index(Int)
    /// Inside a mixed value: a dictionary's key or a list's index, as what is there decides.
    case nested(ExactText)
  }

  /// More links and levels than that are a mistake.
  public static let deepest = 16
  /// Bytes of a key in a path.
  public static let longestKey = 1024

  public let steps: [Step]
  /// The type of the value at the end: a property's as the schema has it, `one` for an element, mixed for all inside
  /// a mixed value.
  public let type: PropertyType
  /// The class of the object that a write changes: the last one that a link led to.
  public let ownerType: String
  /// How many steps lead to that object; 0: it is the one that the path begins with.
  public let ownerDepth: Int

  /// Reads the segments of a URL's path, or of a transaction's `path`.
  public init(_ segments: [String], of objectType: ObjectType, in schema: Schema) throws(PathError) {
    var reader = ResourcePathReader(schema: schema, objectType: objectType)
    guard segments.count <= Self.deepest else { throw .tooDeep(limit: Self.deepest) }
    for (index, segment) in segments.enumerated() {
      do throws(PathError.Rule) { try reader.read(segment) } catch {
        throw .segment(index, error)
      }
    }
    guard let type = reader.type else { throw .empty }
    (steps, self.type) = (reader.steps, type)
    (ownerType, ownerDepth) = (reader.owner, reader.ownerDepth)
    precondition(ownerDepth <= steps.count && steps.count >= segments.count, "each segment is a step")
  }
}

/// Why segments are no way into an object.
public enum PathError: Error, Hashable, Sendable {
  /// The rule that one segment breaks.
  public enum Rule: Error, Hashable, Sendable {
    case unknownProperty(objectType: String)
    /// No whole number, or one that no list can have.
    case invalidIndex
    /// Elements of a set have no names.
    case indexIntoSet
    /// Linking objects are read as a whole.
    case intoLinkingObjects
    /// The value before it has no parts.
    case noParts
    /// A key with a period or a zero byte in it, or a dollar sign in front.
    case illegalKey
    case keyTooLong(limit: Int)
  }

  case segment(Int, Rule)
  case empty
  case tooDeep(limit: Int)
}

private struct ResourcePathReader {
  let schema: Schema
  /// The class that the next segment names a property of; nil: it is a part of ``type``.
  var objectType: ObjectType?
  var steps: [ResourcePath.Step] = []
  var type: PropertyType?
  var owner: String
  var ownerDepth = 0

  init(schema: Schema, objectType: ObjectType) {
    self.schema = schema
    self.objectType = objectType
    owner = objectType.name
  }

  mutating func read(_ segment: String) throws(PathError.Rule) {
    if let objectType {
      try readProperty(segment, of: objectType)
    } else {
      try readPart(segment)
    }
    enterObject()
  }

  private mutating func readProperty(_ name: String, of objectType: ObjectType) throws(PathError.Rule) {
    if type != nil, !objectType.isEmbedded { (owner, ownerDepth) = (objectType.name, steps.count) }
    if let fields = objectType.fieldsIndex, objectType.index(of: name) == nil {
      steps.append(.property(fields))
      type = objectType.properties[fields].type
      try readPart(name)
      steps[steps.count - 1] = .key(objectType.fieldKey(name))
      return
    }
    guard let index = objectType.index(of: name) else {
      throw .unknownProperty(objectType: objectType.name)
    }
    steps.append(.property(index))
    type = objectType.properties[index].type
  }

  private mutating func readPart(_ segment: String) throws(PathError.Rule) {
    switch type {
    case .list(let element, let optional)?:
      guard let index = ListIndex.index(segment) else { throw .invalidIndex }
      steps.append(.index(index))
      type = .one(element, optional: optional)
    case .map(let element, let optional)?:
      try check(key: segment)
      steps.append(.key(ExactText(segment)))
      type = .one(element, optional: optional)
    case .one(.mixed, _)?:
      try check(key: segment)
      steps.append(.nested(ExactText(segment)))
    case .set?: throw .indexIntoSet
    case .linkingObjects?: throw .intoLinkingObjects
    case .one?, nil: throw .noParts
    }
  }

  private func check(key: String) throws(PathError.Rule) {
    guard key.utf8.count <= ResourcePath.longestKey else { throw .keyTooLong(limit: ResourcePath.longestKey) }
    guard NameRules.isLegal(key: key) else { throw .illegalKey }
  }

  /// After a link or an embedded object, properties come next.
  private mutating func enterObject() {
    objectType = nil
    if case .one(.object(let name), _)? = type { objectType = schema[name] }
  }
}

extension NameRules {
  /// Whether a map can have the key: not what core refuses (C:dictionary.cpp:34-43), nor a zero byte, with which a name in
  /// BSON would end.
  static func isLegal(key: String) -> Bool {
    var isFirst = true
    for byte in key.utf8 {
      if byte == UInt8(ascii: ".") || byte == 0 || isFirst && byte == UInt8(ascii: "$") { return false }
      isFirst = false
    }
    return true
  }
}
