public import GatehouseModel

/// The first objects that cannot follow a schema.
public struct SchemaConflict: Hashable, Sendable {
  /// Objects that have the same values, where no two may.
  public struct Duplicates: Hashable, Sendable {
    /// The identifiers of the first and the last of them; embedded objects have none.
    public let ids: [Mixed]
    public let count: Int

    public init(ids: [Mixed], count: Int) {
      self.ids = ids
      self.count = count
    }
  }

  /// How many objects, or values, are told at most.
  static let mostTold = 10

  public let objectType: String
  /// The properties that are to be unique together.
  public let properties: [String]
  public let duplicates: [Duplicates]

  public init(objectType: String, properties: [String], duplicates: [Duplicates]) {
    self.objectType = objectType
    self.properties = properties
    self.duplicates = duplicates
  }
}
