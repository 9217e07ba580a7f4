public import GatehouseModel

/// The net change of one object in a transaction: created without `before`, deleted without `after`.
///
/// An embedded object has a change of its own if it was changed where it is; otherwise it is a part of its owner's
/// properties.
public struct ObjectChange: Sendable {
  public let objectType: String
  /// The class of the object that an embedded object belongs to; otherwise ``objectType``.
  public var ownerType: String
  public let key: ObjectKey
  /// All stored properties before the transaction: a dictionary by stored names, links as primary keys.
  public let before: Mixed?
  /// All stored properties after the transaction, in the form of ``before``.
  public let after: Mixed?
  /// The stored names of the properties that were written.
  public let written: Set<String>

  public init(
    objectType: String, key: ObjectKey, before: Mixed?, after: Mixed?, written: Set<String>
  ) {
    self.objectType = objectType
    ownerType = objectType
    self.key = key
    self.before = before
    self.after = after
    self.written = written
  }
}
