import GatehouseModel

/// The schema of the file, and where everything is: an immutable picture, replaced when the schema changes.
final class Catalog: Sendable {
  /// A property through which objects can be linked to.
  struct IncomingLink: Sendable {
    /// Position of the linking class in ``Catalog/tables``.
    let table: Int
    /// Position of the property in the linking class.
    let property: Int
  }

  /// Goes up with every change of the schema.
  let generation: Int64
  let schema: Schema
  /// In the order of the schema.
  let tables: [TableLayout]
  /// For each class, the properties whose type is a link to it or a collection of such.
  let incoming: [[IncomingLink]]
  private let indexByName: [String: Int]

  convenience init(generation: Int64, tables: [TableLayout]) {
    self.init(generation: generation, tables: tables, schema: Schema(tables.map(\.objectType)))
  }

  /// The same in memory of its own: a thread that looks at nothing else counts no references together with others.
  var unshared: Catalog {
    let schema = schema.unshared
    let tables = zip(tables, schema.objectTypes).map { table, objectType in
      TableLayout(
        objectType: objectType, name: table.name, properties: table.properties.map(\.self),
        shapeVersion: table.shapeVersion)
    }
    return Catalog(generation: generation, tables: tables, schema: schema)
  }

  /// The schema's classes are those of the tables.
  private init(generation: Int64, tables: [TableLayout], schema: Schema) {
    precondition(
      zip(schema.objectTypes, tables).allSatisfy { $0.name == $1.objectType.name }
        && schema.objectTypes.count == tables.count, "each class of the schema has its table")
    self.generation = generation
    self.tables = tables
    self.schema = schema
    let indexByName = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.objectType.name, $0) })
    self.indexByName = indexByName
    var incoming = [[IncomingLink]](repeating: [], count: tables.count)
    for (source, table) in tables.enumerated() {
      for (position, layout) in table.properties.enumerated() {
        if case .object(let target)? = layout.element, let index = indexByName[target] {
          incoming[index].append(IncomingLink(table: source, property: position))
        }
      }
    }
    self.incoming = incoming
  }

  /// The position of a class in ``tables``.
  func index(of objectType: String) throws(StorageError) -> Int {
    guard let index = indexByName[objectType] else { throw .unknownClass(objectType) }
    return index
  }

  /// Like ``index(of:)``, for a class whose objects exist by themselves.
  func topLevelIndex(of objectType: String) throws(StorageError) -> Int {
    let index = try index(of: objectType)
    guard !tables[index].objectType.isEmbedded else { throw .embeddedClass(objectType) }
    return index
  }

  /// Where the objects of a class are.
  func table(_ objectType: String) throws(StorageError) -> TableLayout {
    tables[try index(of: objectType)]
  }
}
