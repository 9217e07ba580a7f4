/// A class: its name, its properties in the order of the schema, and its primary key.
public struct ObjectType: Sendable {
  /// One object that is shared: a class is handed on at each step of a path, and would cost a count of references
  /// for each of its parts.
  @usableFromInline
  final class Content: Sendable {
    @usableFromInline let name: String
    @usableFromInline let isEmbedded: Bool
    @usableFromInline let properties: [Property]
    @usableFromInline let primaryKeyIndex: Int?
    @usableFromInline let indexes: [Index]
    @usableFromInline let storedProperties: [Int]
    @usableFromInline let projections: [NamedProjection]
    let places: NameIndex

    init(
      name: String, isEmbedded: Bool, properties: [Property], primaryKey: String?, indexes: [Index],
      projections: [NamedProjection]
    ) {
      self.name = name
      self.isEmbedded = isEmbedded
      self.properties = properties
      self.indexes = indexes
      primaryKeyIndex = primaryKey.flatMap { key in properties.firstIndex { $0.name == key } }
      self.projections = projections
      storedProperties = properties.indices.filter { properties[$0].type.isStored }
      places = NameIndex(properties.map(\.name))
    }
  }

  @usableFromInline let content: Content

  public init(
    name: String, isEmbedded: Bool = false, properties: [Property], primaryKey: String? = nil,
    indexes: [Index] = [], projections: [NamedProjection] = []
  ) {
    content = Content(
      name: name, isEmbedded: isEmbedded, properties: properties, primaryKey: primaryKey, indexes: indexes,
      projections: projections)
  }

  /// The same class in memory of its own: see ``Schema/unshared``.
  var unshared: ObjectType {
    ObjectType(
      name: name, isEmbedded: isEmbedded, properties: properties.map(\.self), primaryKey: primaryKey?.name,
      indexes: indexes.map(\.self), projections: projections.map(\.self))
  }

  @inlinable public var name: String { content.name }

  /// Embedded objects have no identity of their own: they live and die with their one parent.
  @inlinable public var isEmbedded: Bool { content.isEmbedded }

  @inlinable public var properties: [Property] { content.properties }

  /// Where in ``properties`` the primary key is; nil: the implicit integer `_key` identifies an object.
  @inlinable public var primaryKeyIndex: Int? { content.primaryKeyIndex }

  /// Indexes beside those of single properties.
  @inlinable public var indexes: [Index] { content.indexes }

  /// Named selections of what objects show.
  @inlinable public var projections: [NamedProjection] { content.projections }

  /// Where in ``properties`` those are that are stored: all but linking objects.
  @inlinable public var storedProperties: [Int] { content.storedProperties }

  /// The primary key's property, if the class has one.
  public var primaryKey: Property? {
    primaryKeyIndex.map { properties[$0] }
  }

  /// Where in ``properties`` the property of that name is.
  public func index(of name: String) -> Int? {
    content.places.place(of: name)
  }

  /// The property that clients call `name`.
  public subscript(name: String) -> Property? {
    content.places.place(of: name).map { properties[$0] }
  }
}

extension ObjectType: Hashable {
  public static func == (left: ObjectType, right: ObjectType) -> Bool {
    left.content === right.content
      || left.name == right.name && left.isEmbedded == right.isEmbedded
        && left.properties == right.properties && left.primaryKeyIndex == right.primaryKeyIndex
        && left.indexes == right.indexes && left.projections == right.projections
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(properties)
  }
}

extension PropertyType {
  fileprivate var isStored: Bool {
    if case .linkingObjects = self { false } else { true }
  }
}
