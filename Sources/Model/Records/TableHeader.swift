internal import GatehouseBSON

/// The columns of a table whose rows are objects of a class: which property, or property of an embedded object, the
/// cells of each are for.
struct TableHeader: Sendable {
  /// A property, and what its value is made of.
  private struct Node: Sendable {
    enum Source: Sendable {
      case cell(column: Int, CellType)
      case embedded([Node])
      /// The cell is a document of a document's fields.
      case fields(column: Int)
    }

    let name: String
    let source: Source
  }

  /// The number of columns.
  let count: Int
  private let nodes: [Node]

  /// Reads the names of the columns. A dot leads into an embedded object or a document, or to the primary key of a link's
  /// target. Pointers of problems have the names.
  init(
    _ names: [String], of objectType: ObjectType, in schema: Schema, mapping: MemberMapping
  ) throws(ValidationError) {
    count = names.count
    var problems: [ValidationProblem] = []
    let level = Level()
    for (column, name) in names.enumerated() where !mapping.ignored.contains(name) {
      let path = (mapping.names[name] ?? name).split(separator: ".", omittingEmptySubsequences: false)
      do throws(TableHeaderError) {
        let resolution = ColumnResolution(column: column, schema: schema)
        try resolution.add(path.map(String.init)[...], of: objectType, to: level)
      } catch {
        if mapping.ignoresUnknown, error.rule == .unknownProperty { continue }
        let pointer = path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
        problems.append(ValidationProblem(pointer: pointer, error.rule))
      }
    }
    if !problems.isEmpty {
      throw ValidationError(Array(problems.prefix(ValidationError.mostProblems)))
    }
    nodes = level.nodes
    precondition(level.count <= count, "what a table has values of has a column of its own")
  }

  /// Returns the object of a row, which has as many fields as the header. A cell that does not fit its property's type
  /// is text, so that whoever checks the object says what is expected.
  func value(of row: [CSVRecord.Field], with json: inout JSONReader) -> Value {
    precondition(row.count == count, "a row has as many fields as its table has columns")
    return .document(TableHeader.document(nodes, of: row, with: &json).document)
  }

  /// Returns an object, and whether a cell of it has a value.
  private static func document(
    _ nodes: [Node], of row: [CSVRecord.Field], with json: inout JSONReader
  ) -> (document: Document, hasValue: Bool) {
    var document = Document()
    var hasValue = false
    for node in nodes {
      switch node.source {
      case .cell(let column, let type):
        let field = row[column]
        if !field.text.isEmpty || field.isQuoted { hasValue = true }
        if let value = type.value(of: field, with: &json) { document.append(node.name, value) }
      case .embedded(let parts):
        let part = TableHeader.document(parts, of: row, with: &json)
        if part.hasValue { hasValue = true }
        document.append(node.name, part.hasValue ? .document(part.document) : .null)
      case .fields(let column):
        switch CellType.mixed.value(of: row[column], with: &json) {
        case .document(let fields)?: document.elements += fields.elements
        case nil, .null?: break
        case let value?: document.append(node.name, value)
        }
      }
    }
    return (document, hasValue)
  }

  /// The properties of an object that have columns, while these are read: there may be a hundred thousand.
  private final class Level {
    enum Source {
      case node(Node.Source)
      case embedded(Level)
    }

    private var properties: [(name: String, source: Source)] = []
    private var places: [String: Int] = [:]

    func contains(_ name: String) -> Bool { places[name] != nil }

    /// Returns the level of an object in this one; nil: there is none.
    func embedded(_ name: String) -> Level? {
      guard let place = places[name], case .embedded(let level) = properties[place].source else { return nil }
      return level
    }

    func add(_ name: String, _ source: Source) {
      precondition(places[name] == nil, "a property has one column: \(name)")
      places[name] = properties.count
      properties.append((name, source))
    }

    var nodes: [Node] {
      properties.map { name, source in
        switch source {
        case .node(let source): Node(name: name, source: source)
        case .embedded(let level): Node(name: name, source: .embedded(level.nodes))
        }
      }
    }

    /// The number of columns, those of objects in this one included.
    var count: Int {
      properties.reduce(0) { if case .embedded(let level) = $1.source { $0 + level.count } else { $0 + 1 } }
    }
  }

  /// The reason why a name is none of a column.
  private struct TableHeaderError: Error {
    let rule: ValidationRule
  }

  /// Finds what a column is for.
  private struct ColumnResolution {
    /// The most names of a path in documents.
    static let mostNames = 100

    let column: Int
    let schema: Schema

    func add(
      _ path: ArraySlice<String>, of objectType: ObjectType, to level: Level
    ) throws(TableHeaderError) {
      let name = path[path.startIndex]
      let rest = path.dropFirst()
      if rest.isEmpty, name == ObjectType.keyName, objectType.hasObjectKey {
        return try add(.cell(column: column, .identifier(.int, optional: false)), named: name, to: level)
      }
      if objectType.isSchemaless {
        guard rest.isEmpty else {
          // Documents inside of a field.
          guard name != ObjectType.fieldsName, !path.contains(""), path.count <= ColumnResolution.mostNames
          else {
            throw TableHeaderError(rule: .illegalKey)
          }
          return try add(rest, of: objectType, inside: name, of: level)
        }
        if name == ObjectType.fieldsName { return try add(.fields(column: column), named: name, to: level) }
        let field = Property(name: name, type: .one(.mixed, optional: true))
        return try add(
          .cell(column: column, CellType(field, isKey: false, in: schema)), named: name, to: level)
      }
      guard let index = objectType.index(of: name) else { throw TableHeaderError(rule: .unknownProperty) }
      let property = objectType.properties[index]
      if case .linkingObjects = property.type { throw TableHeaderError(rule: .readOnly) }
      if !rest.isEmpty, case .one(.object(let target), _) = property.type, let target = schema[target],
        target.isEmbedded
      {
        return try add(rest, of: target, inside: name, of: level)
      }
      if level.contains(name) { throw TableHeaderError(rule: .repeatedProperty) }
      guard rest.isEmpty || isKey(rest, of: property.type) else { throw TableHeaderError(rule: .noPath) }
      let type = CellType(property, isKey: index == objectType.primaryKeyIndex, in: schema)
      level.add(name, .node(.cell(column: column, type)))
    }

    private func add(
      _ source: Node.Source, named name: String, to level: Level
    ) throws(TableHeaderError) {
      if level.contains(name) { throw TableHeaderError(rule: .repeatedProperty) }
      level.add(name, .node(source))
    }

    /// Adds a column of an embedded object, which may have some already.
    private func add(
      _ path: ArraySlice<String>, of target: ObjectType, inside name: String, of level: Level
    ) throws(TableHeaderError) {
      if let inner = level.embedded(name) { return try add(path, of: target, to: inner) }
      if level.contains(name) { throw TableHeaderError(rule: .repeatedProperty) }
      let inner = Level()
      try add(path, of: target, to: inner)
      level.add(name, .embedded(inner))
    }

    /// Whether the rest of a path is the name of what identifies a link's target.
    private func isKey(_ path: ArraySlice<String>, of type: PropertyType) -> Bool {
      guard case .one(.object(let target), _) = type, let target = schema[target] else { return false }
      return Array(path) == [target.primaryKey?.name ?? ObjectType.keyName]
    }
  }
}
