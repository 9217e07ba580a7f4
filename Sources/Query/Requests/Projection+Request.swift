public import GatehouseModel

extension Projection {
  /// How many links deep an answer can show objects in objects.
  public static let depthLimit = 8
  /// How many paths a request may name; as many as a class may have properties.
  public static let fieldLimit = 1000

  /// Makes the projection that a request asks for: the one that it names, or one of its `fields` and `expand`.
  public init(_ selection: FieldSelection, objectType: String, schema: Schema) throws(QueryError) {
    if selection.isEverything, let type = schema[objectType] {
      self = .all(of: type)
    } else if let name = selection.projection {
      try self.init(named: name, objectType: objectType, schema: schema)
    } else {
      try self.init(selection.fields, expand: selection.expand, objectType: objectType, schema: schema)
    }
  }

  /// Makes the projection of that name in the schema.
  private init(named name: String, objectType: String, schema: Schema) throws(QueryError) {
    // Projections with a function are for those who call the function.
    let projections = (schema[objectType]?.projections ?? []).filter { $0.function == nil }
    guard let projection = projections.first(where: { $0.name == name }) else {
      let nearest = name.nearest(of: projections.map(\.name))
      throw .parameter(.projection, .unknownProjection(objectType: objectType, nearest: nearest))
    }
    var tree = Selection()
    for field in projection.fields {
      try tree.add(field.name, field.names.map { SyntaxTree.Path.Name(text: $0, offset: 0) }[...])
    }
    self = try tree.projection(of: objectType, in: schema)
  }

  /// Makes a projection of the properties in `fields` (nil: all stored ones) and, for the links in `expand`, of the
  /// objects that they lead to. Both are paths with commas between them. A path with a name of its own in front
  /// (`city:address.city`) shows the value at its end under that name.
  private init(
    _ fields: String?, expand: String?, objectType: String, schema: Schema
  ) throws(QueryError) {
    var tree = Selection()
    if let fields {
      try Plan.parsing(.fields) { () throws(QueryError) in
        let (text, aliases) = try Selection.aliases(in: fields)
        for (path, alias) in zip(try Selection.paths(in: text), aliases) {
          if let alias { try tree.add(alias, path[...]) } else { try tree.select(path[...]) }
        }
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
  /// The parameter that names it.
  var parameter: QueryError.Parameter = .fields
  var names: [Name] = []
  /// For each name, what it is called in the answer.
  var aliases: [String?] = []
  var children: [Selection] = []
  /// Whether the one value stands in place of the object.
  var isValue = false

  typealias Name = SyntaxTree.Path.Name

  static func paths(in text: String) throws(QueryError) -> [[Name]] {
    var parser = try Parser(text)
    var paths: [[Name]] = []
    for (path, ascending) in try parser.paths() {
      if paths.count == Projection.fieldLimit {
        throw .tooManyTerms(offset: path.offset, limit: Projection.fieldLimit)
      }
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

  /// Returns the text with blanks in place of the names before colons, and for each path that name.
  static func aliases(in text: String) throws(QueryError) -> (text: String, aliases: [String?]) {
    var bytes = Array(text.utf8)
    var aliases: [String?] = []
    for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let colon = part.firstIndex(of: UInt8(ascii: ":")) else {
        aliases.append(nil)
        continue
      }
      let alias = part[..<colon].trimmingBlanks
      if alias.isEmpty || !alias.allSatisfy(\.isNameByte) { throw .emptyName(offset: part.startIndex) }
      aliases.append(String(decoding: alias, as: UTF8.self))
      for index in part.startIndex...colon { bytes[index] = UInt8(ascii: " ") }
    }
    return (String(decoding: bytes, as: UTF8.self), aliases)
  }

  /// Shows the value at the end of the path under a name of its own.
  mutating func add(_ alias: String, _ path: ArraySlice<Name>) throws(QueryError) {
    guard let first = path.first else { return }
    if aliases.contains(alias) || zip(names, aliases).contains(where: { $1 == nil && $0.text == alias }) {
      throw .repeatedName(offset: first.offset)
    }
    names.append(first)
    aliases.append(alias)
    children.append(.value(path.dropFirst()))
  }

  /// Returns the selection of the one value at the end of the rest of a path.
  private static func value(_ path: ArraySlice<Name>) -> Selection {
    var selection = Selection()
    guard let first = path.first else { return selection }
    selection.isExpanded = true
    selection.isValue = true
    selection.names = [first]
    selection.aliases = [nil]
    selection.children = [value(path.dropFirst())]
    return selection
  }

  mutating func select(_ path: ArraySlice<Name>) throws(QueryError) {
    guard let first = path.first else { return }
    let index = try child(first)
    if path.count > 1 { children[index].isExpanded = true }
    try children[index].select(path.dropFirst())
  }

  mutating func expand(_ path: ArraySlice<Name>) throws(QueryError) {
    guard let first = path.first else { return }
    let index = try child(first)
    // The choice that `fields` has made of the target stays.
    if children[index].names.isEmpty { children[index].isAll = true }
    children[index].isExpanded = true
    children[index].parameter = .expand
    try children[index].expand(path.dropFirst())
  }

  private mutating func child(_ name: Name) throws(QueryError) -> Int {
    if aliases.contains(name.text) { throw .repeatedName(offset: name.offset) }
    if let index = names.indices.first(where: { aliases[$0] == nil && names[$0].text == name.text }) {
      return index
    }
    names.append(name)
    aliases.append(nil)
    children.append(Selection())
    return names.count - 1
  }

  func projection(of objectType: String, in schema: Schema) throws(QueryError) -> Projection {
    guard let type = schema[objectType] else {
      throw .unknownClass(offset: 0, name: objectType, nearest: nil)
    }
    precondition(
      names.count == aliases.count && names.count == children.count,
      "each name of an answer has a choice of what it shows, and another name or none")
    var fields: [Projection.Field] = isAll ? try stored(type, in: schema) : []
    var showsKey = isAll
    for (name, (alias, child)) in zip(names, zip(aliases, children)) {
      guard let index = type.index(of: name.text) else {
        if let field = try child.documentField(name, alias: alias, of: type) {
          fields.append(field)
          continue
        }
        guard name.text == "_key", type.primaryKeyIndex == nil, !child.isExpanded, alias == nil, !isValue
        else {
          throw .parameter(.fields, Self.unknown(name, of: type))
        }
        showsKey = true
        continue
      }
      let field = try child.field(index, name: name, alias: alias, of: type, in: schema)
      if alias == nil, let place = fields.firstIndex(where: { $0.property == index && $0.name == nil }) {
        fields[place] = field
      } else {
        fields.append(field)
      }
    }
    return Projection(objectType: objectType, fields: fields, showsKey: showsKey, isValue: isValue)
  }

  /// Returns a field of a document; nil where the class has a schema.
  private func documentField(
    _ name: Name, alias: String?, of type: ObjectType
  ) throws(QueryError) -> Projection.Field? {
    guard let index = type.fieldsIndex else { return nil }
    guard !isExpanded else {
      throw .parameter(
        parameter, .notExpandable(offset: name.offset, objectType: type.name, property: name.text))
    }
    return Projection.Field(
      property: index, name: alias ?? name.text, target: nil, key: type.fieldKey(name.text))
  }

  private static func unknown(_ name: Name, of type: ObjectType) -> QueryError {
    .unknownProperty(
      offset: name.offset, objectType: type.name, name: name.text,
      nearest: name.text.nearest(of: type.namedProperties.map(\.name)))
  }

  private func stored(_ type: ObjectType, in schema: Schema) throws(QueryError) -> [Projection.Field] {
    Projection.all(of: type).fields
  }

  private func field(
    _ property: Int, name: Name, alias: String?, of type: ObjectType, in schema: Schema
  ) throws(QueryError) -> Projection.Field {
    guard isExpanded else { return Projection.Field(property: property, name: alias, target: nil) }
    let target: String
    switch type.properties[property].type {
    case .linkingObjects(let source, _): target = source
    case let stored:
      guard let linked = stored.linkTarget else {
        throw .parameter(
          parameter, .notExpandable(offset: name.offset, objectType: type.name, property: name.text))
      }
      target = linked
    }
    return Projection.Field(
      property: property, name: alias, target: try projection(of: target, in: schema))
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmingBlanks: ArraySlice<UInt8> {
    let start = drop { $0 == 0x20 }
    return start.prefix((start.lastIndex { $0 != 0x20 } ?? start.startIndex - 1) - start.startIndex + 1)
  }
}

extension UInt8 {
  /// Whether a name in an answer may have the byte: letters, digits, `_`, `-`, and whatever is not ASCII.
  fileprivate var isNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
      true
    default: false
    }
  }
}
