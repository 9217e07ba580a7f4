/// A class: its name, its properties in the order of the schema, and its primary key.
public struct ObjectType: Sendable {
  /// How objects of a class come to be and who finds them: core's table types.
  public enum Kind: Hashable, Sendable {
    /// Objects have an identity of their own.
    case topLevel
    /// Objects live and die with their one parent.
    case embedded
    /// Clients create objects, and never see them again.
    case asymmetric
    /// Objects have an identity, `_id`, and whatever fields clients give them: documents.
    case schemaless
  }

  /// One object that is shared: a class is handed on at each step of a path, and would cost a count of references
  /// for each of its parts.
  @usableFromInline
  final class Content: Sendable {
    @usableFromInline let name: String
    @usableFromInline let kind: Kind
    @usableFromInline let properties: [Property]
    @usableFromInline let primaryKeyIndex: Int?
    @usableFromInline let indexes: [Index]
    @usableFromInline let storedProperties: [Int]
    @usableFromInline let projections: [NamedProjection]
    @usableFromInline let hidden: Set<Int>
    @usableFromInline let hiddenFields: Set<ExactText>
    @usableFromInline let fieldsIndex: Int?
    let constraints: Constraints
    let places: NameIndex

    init(
      name: String, kind: Kind, properties: [Property], primaryKey: String?, indexes: [Index],
      projections: [NamedProjection]
    ) {
      self.name = name
      self.kind = kind
      self.properties = properties
      self.indexes = indexes
      primaryKeyIndex = primaryKey.flatMap { key in properties.firstIndex { $0.name == key } }
      self.projections = projections
      storedProperties = properties.indices.filter { properties[$0].type.isStored }
      hidden = []
      hiddenFields = []
      constraints = Constraints()
      fieldsIndex = ObjectType.fieldsIndex(in: properties, of: kind)
      precondition(
        indexes.allSatisfy { $0.keys.allSatisfy { properties.indices.contains($0.property) } },
        "the keys of an index are properties of the class: \(name)")
      // Fields may have the name as well.
      places = NameIndex(properties.map(\.name), without: Set(fieldsIndex.map { [$0] } ?? []))
    }

    /// Copies another one, for somebody to whom the properties at the positions in `hidden`, and those fields, do not exist.
    init(
      _ other: Content, hidden: Set<Int>, hiddenFields: Set<ExactText>, projections: [NamedProjection],
      constraints: Constraints
    ) {
      precondition(
        hidden.allSatisfy(other.properties.indices.contains),
        "what is hidden of a class is there: \(hidden) of \(other.name)")
      precondition(
        constraints.uniqueKeys.allSatisfy { $0.allSatisfy(other.properties.indices.contains) },
        "what is unique are properties of the class: \(other.name)")
      name = other.name
      kind = other.kind
      properties = other.properties.map(\.self)
      primaryKeyIndex = other.primaryKeyIndex
      indexes = other.indexes.filter { index in
        index.keys.allSatisfy { !hidden.contains($0.property) }
          && index.path.first.map { !hiddenFields.contains($0) } ?? true
      }
      self.projections = projections.map(\.self)
      storedProperties = other.storedProperties.filter { !hidden.contains($0) }
      self.hidden = hidden
      self.hiddenFields = hiddenFields
      self.constraints = constraints.withoutProperties(hidden)
      fieldsIndex = other.fieldsIndex
      places = NameIndex(
        properties.map(\.name), without: hidden.union(other.fieldsIndex.map { [$0] } ?? []))
    }
  }

  @usableFromInline let content: Content

  public init(
    name: String, kind: Kind = .topLevel, properties: [Property], primaryKey: String? = nil,
    indexes: [Index] = [], projections: [NamedProjection] = []
  ) {
    content = Content(
      name: name, kind: kind, properties: properties, primaryKey: primaryKey, indexes: indexes,
      projections: projections)
  }

  /// The same class in memory of its own: see ``Schema/unshared``.
  var unshared: ObjectType { masked(hiding: hidden, projections: projections) }

  /// The same class for somebody to whom the properties at the positions, and more of its fields, do not exist. Positions of
  /// the others stay.
  func masked(
    hiding hidden: Set<Int>, projections: [NamedProjection], fields: Set<ExactText> = []
  ) -> ObjectType {
    ObjectType(
      Content(
        content, hidden: hidden, hiddenFields: hiddenFields.union(fields), projections: projections,
        constraints: constraints))
  }

  /// The class with those rules for its objects.
  public func constrained(by constraints: Constraints) -> ObjectType {
    ObjectType(
      Content(
        content, hidden: hidden, hiddenFields: hiddenFields, projections: projections,
        constraints: constraints))
  }

  private init(_ content: Content) { self.content = content }

  @inlinable public var name: String { content.name }

  @inlinable public var kind: Kind { content.kind }

  /// Embedded objects have no identity of their own: they live and die with their one parent.
  @inlinable public var isEmbedded: Bool { content.kind == .embedded }

  /// Clients only create asymmetric objects; administrators and functions find them as they find others.
  @inlinable public var isAsymmetric: Bool { content.kind == .asymmetric }

  /// Whether objects hold any fields, which clients see beside `_id`.
  @inlinable public var isSchemaless: Bool { content.kind == .schemaless }

  /// Where in ``properties`` the map is that holds the fields of a schemaless class' objects; nil: the class has a schema. No
  /// name leads to it: clients see its entries as members of the objects.
  @inlinable public var fieldsIndex: Int? { content.fieldsIndex }

  @inlinable public var properties: [Property] { content.properties }

  /// Where in ``properties`` the primary key is; nil: the implicit integer `_key` identifies an object.
  @inlinable public var primaryKeyIndex: Int? { content.primaryKeyIndex }

  /// Indexes beside those of single properties.
  @inlinable public var indexes: [Index] { content.indexes }

  /// The rules for objects beside those of single properties.
  public var constraints: Constraints { content.constraints }

  /// Named selections of what objects show.
  @inlinable public var projections: [NamedProjection] { content.projections }

  /// Where in ``properties`` those are that are stored: all but linking objects, and hidden ones.
  @inlinable public var storedProperties: [Int] { content.storedProperties }

  /// Where in ``properties`` those are that do not exist for whoever has the schema: no name leads to them.
  @inlinable public var hidden: Set<Int> { content.hidden }

  /// The fields of a schemaless class' objects that do not exist for whoever has the schema.
  public var hiddenFields: Set<ExactText> { content.hiddenFields }

  /// The properties that names lead to.
  public var namedProperties: [Property] {
    if hidden.isEmpty, fieldsIndex == nil { return properties }
    return properties.indices.filter { !hidden.contains($0) && $0 != fieldsIndex }.map { properties[$0] }
  }

  /// The primary key's property, if the class has one.
  public var primaryKey: Property? {
    primaryKeyIndex.map { properties[$0] }
  }

  /// Whether the store counts the primary keys of objects that are created without.
  public var countsPrimaryKeys: Bool { primaryKey?.generatedDefault == .autoincrement }

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
      || left.name == right.name && left.kind == right.kind
        && left.properties == right.properties && left.primaryKeyIndex == right.primaryKeyIndex
        && left.indexes == right.indexes && left.projections == right.projections
        && left.hidden == right.hidden && left.hiddenFields == right.hiddenFields
        && left.constraints == right.constraints
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
