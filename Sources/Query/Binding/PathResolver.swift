internal import GatehouseBSON
internal import GatehouseModel

/// Follows a path as written through the schema (realm-core's `PathNode::visit`): links as far as they go,
/// the rest is handed to the property.
struct PathResolver {
  let schema: Schema
  private let root: String
  private var type: ObjectType
  private var hops: [Hop] = []
  private var rest: ArraySlice<SyntaxTree.Path.Element>
  private let offset: Int

  init(_ elements: ArraySlice<SyntaxTree.Path.Element>, offset: Int, on type: ObjectType, in schema: Schema) {
    self.schema = schema
    root = type.name
    self.type = type
    rest = elements
    self.offset = offset
  }

  mutating func resolve() throws(QueryError) -> KeyPath {
    while let element = rest.popFirst() {
      guard case .name(let name) = element else { throw .incompletePath(offset: offset) }
      if let end = try step(name) { return end }
    }
    if hops.isEmpty { throw .incompletePath(offset: offset) }
    return end(.object, .object(type.name))
  }

  /// Takes one name, and returns the path if it ends there.
  private mutating func step(_ name: SyntaxTree.Path.Name) throws(QueryError) -> KeyPath? {
    if name.text == "@links" {
      try linkingObjects(name)
      return nil
    }
    guard let index = type.index(of: name.text) else {
      guard let fields = type.fieldsIndex else { return try key(name) }
      return try field(name, in: fields)
    }
    let property = NamedProperty(index: index, name: name)
    switch type.properties[index].type {
    case .one(.object(let target), _):
      try hop(.link(property: index), to: target, name)
      if case .name? = rest.first { return nil }
      if !rest.isEmpty { throw notIndexable(name) }
      return nil
    case .one(let element, _): return try value(of: property, element)
    case .list(.object(let target), _): return try objects(of: property, target, in: .list)
    case .set(.object(let target), _): return try objects(of: property, target, in: .set)
    case .map(.object(let target), _): return try objects(of: property, target, in: .map)
    case .list(let element, _): return try list(property, element)
    case .set(let element, _): return try set(property, element)
    case .map(let element, _): return try map(property, element)
    case .linkingObjects(let source, let property):
      try hop(objectType: source, property: property, name)
      return nil
    }
  }

  private func end(_ end: KeyPath.End, _ element: ElementType) -> KeyPath {
    KeyPath(objectType: root, hops: hops, end: end, type: element)
  }

  /// A field of a document, and what is nested in it.
  private func field(
    _ name: SyntaxTree.Path.Name, in fields: Int
  ) throws(QueryError) -> KeyPath {
    end(.entry(property: fields, key: type.fieldKey(name.text), try steps(rest)), .mixed)
  }

  private func key(_ name: SyntaxTree.Path.Name) throws(QueryError) -> KeyPath {
    guard name.text == "_key", type.primaryKeyIndex == nil, !type.isEmbedded else {
      let nearest = name.text.nearest(of: type.namedProperties.map(\.name))
      throw .unknownProperty(offset: name.offset, objectType: type.name, name: name.text, nearest: nearest)
    }
    try finish(name)
    return end(.key, .int)
  }

  /// Throws unless the path ends here.
  private func finish(_ name: SyntaxTree.Path.Name) throws(QueryError) {
    switch rest.first {
    case nil: break
    case .name(let next):
      throw .noPropertyOf(offset: next.offset, objectType: type.name, property: name.text, name: next.text)
    case .position, .all, .key, .argument, .keyPathArgument: throw notIndexable(name)
    }
  }

  private func notIndexable(_ name: SyntaxTree.Path.Name) -> QueryError {
    .notIndexable(offset: name.offset, objectType: type.name, property: name.text)
  }
}

/// A property of the class that a path has come to, and the path's name for it.
private struct NamedProperty {
  let index: Int
  let name: SyntaxTree.Path.Name
}

/// Hops.
extension PathResolver {
  private mutating func hop(
    _ route: Hop.Route, to target: String, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) {
    guard let next = schema[target] else {
      throw .unknownClass(offset: name.offset, name: target, nearest: nil)
    }
    let limit = KeyPath.linkLimit
    if hops.count == limit { throw .tooDeep(offset: name.offset, limit: limit) }
    hops.append(Hop(route, to: target))
    type = next
  }

  private mutating func hop(
    objectType source: String, property: String, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) {
    guard let index = schema[source]?.index(of: property) else {
      throw .unknownProperty(offset: name.offset, objectType: source, name: property, nearest: nil)
    }
    try hop(.linkingObjects(objectType: source, property: index), to: source, name)
  }

  /// `@links.Class.property`.
  private mutating func linkingObjects(_ name: SyntaxTree.Path.Name) throws(QueryError) {
    guard case .name(let source)? = rest.popFirst(), case .name(let property)? = rest.popFirst() else {
      throw .incompletePath(offset: name.offset)
    }
    guard let sourceType = schema[source.text] else {
      let nearest = source.text.nearest(of: schema.objectTypes.map(\.name))
      throw .unknownClass(offset: source.offset, name: source.text, nearest: nearest)
    }
    guard let linking = sourceType[property.text] else {
      let nearest = property.text.nearest(of: sourceType.namedProperties.map(\.name))
      throw .unknownProperty(
        offset: property.offset, objectType: source.text, name: property.text, nearest: nearest)
    }
    guard linking.type.linkTarget == type.name else {
      throw .linkTypeMismatch(
        offset: property.offset, expected: type.name, found: linking.type.linkTarget ?? property.text)
    }
    try hop(objectType: source.text, property: property.text, property)
  }

  private mutating func objects(
    of property: NamedProperty, _ target: String, in container: PropertyType.Container
  ) throws(QueryError) -> KeyPath? {
    let name = property.name
    switch rest.first {
    case .position(let position, _):
      if container != .list { throw notIndexable(name) }
      rest = rest.dropFirst()
      try hop(.element(property: property.index, at: position), to: target, name)
    case .key(let key, _):
      if container != .map { throw notIndexable(name) }
      rest = rest.dropFirst()
      try hop(.entry(property: property.index, key: ExactText(key)), to: target, name)
    case .name(let next) where container == .map && schema[target]?[next.text] == nil:
      rest = rest.dropFirst()
      return try entry(next, of: property, target)
    case .all:
      rest = rest.dropFirst()
      try hop(.elements(property: property.index), to: target, name)
    case .argument, .keyPathArgument: throw notIndexable(name)
    case .name, nil: try hop(.elements(property: property.index), to: target, name)
    }
    return nil
  }

  /// A name after a map of objects that is no property of theirs.
  private mutating func entry(
    _ next: SyntaxTree.Path.Name, of property: NamedProperty, _ target: String
  ) throws(QueryError) -> KeyPath? {
    switch next.text {
    case "@keys":
      try finish(next)
      return end(.keys(property: property.index), .string)
    case "@values": try hop(.elements(property: property.index), to: target, property.name)
    case "@links":
      rest = [.name(next)] + rest
      try hop(.elements(property: property.index), to: target, property.name)
    default:
      try hop(.entry(property: property.index, key: ExactText(next.text)), to: target, property.name)
    }
    return nil
  }
}

/// Properties without objects.
extension PathResolver {
  private mutating func value(
    of property: NamedProperty, _ element: ElementType
  ) throws(QueryError) -> KeyPath {
    let value = end(.value(property: property.index), element)
    if rest.isEmpty { return value }
    guard element == .mixed else { return try function(of: value, property.name) }
    return end(.nested(property: property.index, try steps(rest)), .mixed)
  }

  private mutating func list(
    _ property: NamedProperty, _ element: ElementType
  ) throws(QueryError) -> KeyPath {
    switch rest.first {
    case .position(let position, _):
      rest = rest.dropFirst()
      let steps = try nested(element, property.name)
      return end(.element(property: property.index, at: position, steps), element)
    case .all:
      rest = rest.dropFirst()
      return try elements(of: property, element)
    case .name, .key, .argument, .keyPathArgument, nil:
      return try function(of: end(.elements(property: property.index), element), property.name)
    }
  }

  private mutating func set(
    _ property: NamedProperty, _ element: ElementType
  ) throws(QueryError) -> KeyPath {
    let elements = end(.elements(property: property.index), element)
    if case .all? = rest.first {
      rest = rest.dropFirst()
      try finish(property.name)
      return elements
    }
    return try function(of: elements, property.name)
  }

  private mutating func map(
    _ property: NamedProperty, _ element: ElementType
  ) throws(QueryError) -> KeyPath {
    switch rest.popFirst() {
    case nil: return end(.elements(property: property.index), element)
    case .all: return try elements(of: property, element)
    case .key(let key, _):
      let steps = try nested(element, property.name)
      return end(.entry(property: property.index, key: ExactText(key), steps), element)
    case .name(let next): return try entry(next, of: property, element)
    case .position, .argument, .keyPathArgument: throw notIndexable(property.name)
    }
  }

  private mutating func entry(
    _ next: SyntaxTree.Path.Name, of property: NamedProperty, _ element: ElementType
  ) throws(QueryError) -> KeyPath {
    switch next.text {
    case "@keys":
      try finish(next)
      return end(.keys(property: property.index), .string)
    case "@values": return try elements(of: property, element)
    default:
      let steps = try nested(element, next)
      return end(.entry(property: property.index, key: ExactText(next.text), steps), element)
    }
  }

  /// All values of a list or map, and what is nested in them.
  private func elements(
    of property: NamedProperty, _ element: ElementType
  ) throws(QueryError) -> KeyPath {
    let steps = try nested(element, property.name)
    let index = property.index
    return end(
      steps.isEmpty ? .elements(property: index) : .nestedElements(property: index, steps), element)
  }

  /// The path, or one to the function of its values that the next name stands for; nothing may follow.
  private mutating func function(of path: KeyPath, _ name: SyntaxTree.Path.Name) throws(QueryError) -> KeyPath
  {
    var path = path
    if case .name(let word)? = rest.first,
      let function = ValueFunction(word.text, of: path.type, inCollection: path.end.isToMany)
    {
      rest = rest.dropFirst()
      path = path.applying(function)
    }
    try finish(name)
    return path
  }

  private func nested(
    _ element: ElementType, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) -> [KeyPath.Step] {
    if element == .mixed { return try steps(rest) }
    try finish(name)
    return []
  }

  private func steps(_ elements: ArraySlice<SyntaxTree.Path.Element>) throws(QueryError) -> [KeyPath.Step] {
    var steps: [KeyPath.Step] = []
    for element in elements {
      switch element {
      case .position(let position, _): steps.append(.position(position))
      case .all: steps.append(.all)
      case .key(let key, _): steps.append(.key(ExactText(key)))
      case .name(let name): steps.append(Self.step(name.text))
      case .argument(_, let offset), .keyPathArgument(_, let offset): throw .incompletePath(offset: offset)
      }
    }
    return steps
  }

  private static func step(_ name: String) -> KeyPath.Step {
    switch name {
    case "@keys": .keys
    case "@values": .all
    default: .key(ExactText(name))
    }
  }
}
