/// A class: its name, its properties in the order of the schema, and its primary key.
public struct ObjectType: Hashable, Sendable {
  public let name: String
  /// Embedded objects have no identity of their own: they live and die with their one parent.
  public let isEmbedded: Bool
  public let properties: [Property]
  /// Where in ``properties`` the primary key is; nil: the implicit integer `_key` identifies an object.
  public let primaryKeyIndex: Int?
  /// Named selections of what objects show.
  public internal(set) var projections: [NamedProjection] = []
  /// Indexes beside those of single properties.
  public let indexes: [Index]
  private let indexByName: [String: Int]

  public init(
    name: String, isEmbedded: Bool = false, properties: [Property], primaryKey: String? = nil,
    indexes: [Index] = []
  ) {
    self.indexes = indexes
    self.name = name
    self.isEmbedded = isEmbedded
    self.properties = properties
    primaryKeyIndex = primaryKey.flatMap { key in properties.firstIndex { $0.name == key } }
    indexByName = Dictionary(
      properties.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// The primary key's property, if the class has one.
  public var primaryKey: Property? {
    primaryKeyIndex.map { properties[$0] }
  }

  /// Where in ``properties`` the property of that name is.
  public func index(of name: String) -> Int? {
    indexByName[name]
  }

  /// The property that clients call `name`.
  public subscript(name: String) -> Property? {
    indexByName[name].map { properties[$0] }
  }
}
