/// The values that a client gives for one object, checked against its class, links not yet looked up.
public struct ObjectDraft: Hashable, Sendable {
  /// The value given for one property.
  public struct Assignment: Hashable, Sendable {
    /// Where in the class' properties the property is.
    public let property: Int
    public let value: DraftValue

    public init(property: Int, value: DraftValue) {
      self.property = property
      self.value = value
    }
  }

  /// The key asked for, for an object of a class without primary key.
  public var key: ObjectKey?
  /// Each property at most once, in the order of the class.
  public var assignments: [Assignment]
  /// The properties whose values were generated, as nobody gave them any.
  public internal(set) var generated: [Int] = []

  public init(key: ObjectKey? = nil, assignments: [Assignment]) {
    self.key = key
    self.assignments = assignments
  }

  /// Gives a property a value, in place of the one that it has.
  public mutating func assign(_ value: DraftValue, to property: Int) {
    let assignment = Assignment(property: property, value: value)
    let place = assignments.firstIndex { $0.property >= property } ?? assignments.endIndex
    if place < assignments.endIndex, assignments[place].property == property {
      assignments[place] = assignment
    } else {
      assignments.insert(assignment, at: place)
    }
  }
}

/// A value that a client gives for a property, or for an element of one.
public enum DraftValue: Hashable, Sendable {
  /// One entry of a map.
  public struct Entry: Hashable, Sendable {
    public let key: String
    public let value: DraftValue

    public init(key: String, value: DraftValue) {
      self.key = key
      self.value = value
    }
  }

  /// Null or a scalar; never a link or list, and a dictionary only where it identifies a document.
  case value(Mixed)
  /// A link to the object with that primary key, which may come later in the same transaction.
  indirect case link(objectType: String, primaryKey: Mixed)
  /// An embedded object's values.
  case embedded(ObjectDraft)
  /// A list's or set's elements; sets drop what repeats.
  case list([DraftValue])
  /// A map's entries in bytewise order of their keys, each key once.
  case map([Entry])
}
