public import Model

extension Projection {
  /// How many links deep an answer can show objects in objects.
  public static let depthLimit = 8

  /// What a request shows: the properties in `fields` (nil: all stored ones), and of the links in `expand` the
  /// objects that they lead to. Both are paths with commas between them.
  public init(objectType: String, fields: String?, expand: String?, schema: Schema) throws(QueryError) {
    if fields == nil, expand == nil, let type = schema[objectType] {
      self = .all(of: type)
      return
    }
    var tree = Selection()
    if let fields {
      try Plan.parsing(.fields) { () throws(QueryError) in
        for path in try Selection.paths(in: fields) { try tree.select(path[...]) }
      }
    } else {
      tree.isAll = true
    }
    if let expand {
      try Plan.parsing(.expand) { () throws(QueryError) in
        for path in try Selection.paths(in: expand) { try tree.expand(path[...]) }
      }
    }
    self = try tree.projection(of: objectType, in: schema)
  }
}

/// The paths of a request as a tree of names.
private struct Selection {
  /// Whether every stored property is shown.
  var isAll = false
  /// Whether the place is shown as an object.
  var isExpanded = false
  var names: [Name] = []
  var children: [Selection] = []

  typealias Name = SyntaxTree.Path.Name

  static func paths(in text: String) throws(QueryError) -> [[Name]] {
    var parser = try Parser(text)
    var paths: [[Name]] = []
    for (path, ascending) in try parser.paths() {
      if !ascending || path.suffix != nil { throw .emptyName(offset: path.offset) }
      if path.elements.count > Projection.depthLimit {
        throw .tooDeep(offset: path.offset, limit: Projection.depthLimit)
      }
      var names: [Name] = []
      for element in path.elements {
        guard case .name(let name) = element else { throw .emptyName(offset: path.offset) }
        names.append(name)
      }
      paths.append(names)
    }
    return paths
  }

  mutating func select(_ path: ArraySlice<Name>) throws(QueryError) {
    guard let first = path.first else { return }
    let index = child(first)
    if path.count > 1 { children[index].isExpanded = true }
    try children[index].select(path.dropFirst())
  }

  mutating func expand(_ path: ArraySlice<Name>) throws(QueryError) {
    guard let first = path.first else { return }
    let index = child(first)
    // What `fields` has chosen of the target stays chosen.
    if children[index].names.isEmpty { children[index].isAll = true }
    children[index].isExpanded = true
    try children[index].expand(path.dropFirst())
  }

  private mutating func child(_ name: Name) -> Int {
    if let index = names.firstIndex(where: { $0.text == name.text }) { return index }
    names.append(name)
    children.append(Selection())
    return names.count - 1
  }

  func projection(of objectType: String, in schema: Schema) throws(QueryError) -> Projection {
    guard let type = schema[objectType] else {
      throw .unknownClass(offset: 0, name: objectType, nearest: nil)
    }
    var fields: [Projection.Field] = isAll ? try stored(type, in: schema) : []
    var showsKey = isAll
    for (name, child) in zip(names, children) {
      guard let index = type.index(of: name.text) else {
        guard name.text == "_key", type.primaryKeyIndex == nil, !child.isExpanded else {
          throw .parameter(.fields, Self.unknown(name, of: type))
        }
        showsKey = true
        continue
      }
      let field = try child.field(index, name, of: type, in: schema)
      if let place = fields.firstIndex(where: { $0.property == index }) {
        fields[place] = field
      } else {
        fields.append(field)
      }
    }
    return Projection(objectType: objectType, fields: fields, showsKey: showsKey)
  }

  private static func unknown(_ name: Name, of type: ObjectType) -> QueryError {
    .unknownProperty(
      offset: name.offset, objectType: type.name, name: name.text,
      nearest: name.text.nearest(of: type.properties.map(\.name)))
  }

  private func stored(_ type: ObjectType, in schema: Schema) throws(QueryError) -> [Projection.Field] {
    type.properties.indices.compactMap { index in
      if case .linkingObjects = type.properties[index].type { return nil }
      return Projection.Field(property: index, target: nil)
    }
  }

  private func field(
    _ property: Int, _ name: Name, of type: ObjectType, in schema: Schema
  ) throws(QueryError) -> Projection.Field {
    guard isExpanded else { return Projection.Field(property: property, target: nil) }
    let target: String
    switch type.properties[property].type {
    case .linkingObjects(let source, _): target = source
    case let stored:
      guard let linked = stored.linkTarget else {
        throw .parameter(
          .expand, .notExpandable(offset: name.offset, objectType: type.name, property: name.text))
      }
      target = linked
    }
    return Projection.Field(property: property, target: try projection(of: target, in: schema))
  }
}
