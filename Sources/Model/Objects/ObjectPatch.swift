/// A change of some properties of one object, checked against its class (RFC 7396, merge patch).
public struct ObjectPatch: Hashable, Sendable {
  /// A property and its new value.
  public struct Change: Hashable, Sendable {
    /// Where in the class' properties the property is.
    public let property: Int
    public let value: PatchValue

    public init(property: Int, value: PatchValue) {
      self.property = property
      self.value = value
    }
  }

  /// Each property at most once, in the order of the class.
  public var changes: [Change]

  public init(changes: [Change]) {
    self.changes = changes
  }
}

/// The new value of one property in a patch.
public enum PatchValue: Hashable, Sendable {
  /// One entry of a map; nil removes it.
  public struct Entry: Hashable, Sendable {
    public let key: String
    public let value: DraftValue?
    /// The changes of a dictionary that is there, in place of ``value``; nil: nothing is kept of it.
    public let merged: [Entry]?

    public init(key: String, value: DraftValue?, merged: [Entry]? = nil) {
      self.key = key
      self.value = value
      self.merged = merged
    }
  }

  /// The property becomes that.
  case assign(DraftValue)
  /// Sets and removes entries of a map and leaves the others, in bytewise order of the keys.
  case merge([Entry])
  /// Changes an embedded object; where there is none, one is created, its other properties having their
  /// defaults.
  case patch(ObjectPatch)
}
