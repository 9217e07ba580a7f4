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
    var source: Source
  }

  /// The number of columns.
  let count: Int
  private var nodes: [Node] = []

  /// Reads the names of the columns. A dot leads into an embedded object or a document, or to the primary key of a link's
  /// target. Pointers of problems have the names.
  init(
    _ names: [String], of objectType: ObjectType, in schema: Schema, mapping: MemberMapping
  ) throws(ValidationError) {
    count = names.count
    var problems: [ValidationProblem] = []
    for (column, name) in names.enumerated() where !mapping.ignored.contains(name) {
      let path = (mapping.names[name] ?? name).split(separator: ".", omittingEmptySubsequences: false)
      do throws(TableHeaderError) {
        let resolution = ColumnResolution(column: column, schema: schema)
        try resolution.add(path.map(String.init)[...], of: objectType, to: &nodes)
      } catch {
        if mapping.ignoresUnknown, error.rule == .unknownProperty { continue }
        let pointer = path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
        problems.append(ValidationProblem(pointer: pointer, error.rule))
      }
    }
    if !problems.isEmpty {
      throw ValidationError(Array(problems.prefix(ValidationError.mostProblems)))
    }
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
      _ path: ArraySlice<String>, of objectType: ObjectType, to nodes: inout [Node]
    ) throws(TableHeaderError) {
      let name = path[path.startIndex]
      let rest = path.dropFirst()
      let place = nodes.firstIndex { $0.name == name }
      if rest.isEmpty, name == ObjectType.keyName, objectType.hasObjectKey {
        if place != nil { throw TableHeaderError(rule: .repeatedProperty) }
        return nodes.append(
          Node(name: name, source: .cell(column: column, .identifier(.int, optional: false))))
      }
      if objectType.isSchemaless {
        guard rest.isEmpty else {
          // Documents inside of a field.
          guard name != ObjectType.fieldsName, !path.contains(""), path.count <= ColumnResolution.mostNames
          else {
            throw TableHeaderError(rule: .illegalKey)
          }
          return try add(rest, of: objectType, to: &nodes, at: place, named: name)
        }
        if place != nil { throw TableHeaderError(rule: .repeatedProperty) }
        if name == ObjectType.fieldsName {
          return nodes.append(Node(name: name, source: .fields(column: column)))
        }
        let field = Property(name: name, type: .one(.mixed, optional: true))
        return nodes.append(
          Node(name: name, source: .cell(column: column, CellType(field, isKey: false, in: schema))))
      }
      guard let index = objectType.index(of: name) else { throw TableHeaderError(rule: .unknownProperty) }
      let property = objectType.properties[index]
      if case .linkingObjects = property.type { throw TableHeaderError(rule: .readOnly) }
      if !rest.isEmpty, case .one(.object(let target), _) = property.type, let target = schema[target],
        target.isEmbedded
      {
        return try add(rest, of: target, to: &nodes, at: place, named: name)
      }
      if place != nil { throw TableHeaderError(rule: .repeatedProperty) }
      guard rest.isEmpty || isKey(rest, of: property.type) else { throw TableHeaderError(rule: .noPath) }
      let type = CellType(property, isKey: index == objectType.primaryKeyIndex, in: schema)
      nodes.append(Node(name: name, source: .cell(column: column, type)))
    }

    /// Adds a column of an embedded object, which may have some already.
    private func add(
      _ path: ArraySlice<String>, of target: ObjectType, to nodes: inout [Node], at place: Int?,
      named name: String
    ) throws(TableHeaderError) {
      var parts: [Node] = []
      if let place {
        guard case .embedded(let others) = nodes[place].source else {
          throw TableHeaderError(rule: .repeatedProperty)
        }
        parts = others
      }
      try add(path, of: target, to: &parts)
      let node = Node(name: name, source: .embedded(parts))
      if let place { nodes[place] = node } else { nodes.append(node) }
    }

    /// Whether the rest of a path is the name of what identifies a link's target.
    private func isKey(_ path: ArraySlice<String>, of type: PropertyType) -> Bool {
      guard case .one(.object(let target), _) = type, let target = schema[target] else { return false }
      return Array(path) == [target.primaryKey?.name ?? ObjectType.keyName]
    }
  }
}
