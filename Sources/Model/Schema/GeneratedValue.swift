public import GatehouseBSON

/// A value that is made anew for each object.
public enum GeneratedValue: Hashable, Sendable {
  /// The time at which the object is created.
  case now
  case objectID
  case uuid
  /// The number after the largest that an object of the class ever had as its primary key; the store makes it.
  case autoincrement

  /// Reads the default of a property of that type; nil where it is a literal.
  ///
  /// No date, ObjectId or UUID is spelt like one of the words.
  public init?(default value: Value, of type: PropertyType) {
    switch (type, value) {
    case (.one(.date, _), .string("now")): self = .now
    case (.one(.objectID, _), .string("objectId")): self = .objectID
    case (.one(.uuid, _), .string("uuid")): self = .uuid
    case (.one(.int, _), .string("autoincrement")): self = .autoincrement
    default: return nil
    }
  }

  /// Makes what identifies an object whose creation leaves out a primary key of that type; nil: it must not be left out.
  init?(primaryKeyOf type: PropertyType) {
    switch type {
    // Mixed primary keys are those of documents.
    case .one(.objectID, optional: false), .one(.mixed, _): self = .objectID
    case .one(.uuid, optional: false): self = .uuid
    default: return nil
    }
  }

  /// Whether no two values are the same.
  public var isUnique: Bool {
    switch self {
    case .now: false
    case .objectID, .uuid, .autoincrement: true
    }
  }

  /// Whether it is for primary keys only.
  var isForPrimaryKeys: Bool { self == .autoincrement }
}

extension Property {
  /// Whether a creation must give the property: there is no default, and the server makes no value for it.
  public func mustBeGiven(asPrimaryKey isPrimaryKey: Bool) -> Bool {
    let isGenerated = isPrimaryKey && GeneratedValue(primaryKeyOf: type) != nil
    if defaultValue == nil, constraints?.count.minimum ?? 0 > 0 { return true }
    return isRequiredWithoutDefault && !isGenerated
  }

  /// The value that each object gets for itself where a creation leaves out the property; nil: one for all of them, or none.
  public var generatedDefault: GeneratedValue? {
    defaultValue.flatMap { GeneratedValue(default: $0, of: type) }
  }
}
