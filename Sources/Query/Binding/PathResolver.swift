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
    guard let index = type.index(of: name.text) else { return try key(name) }
    switch type.properties[index].type {
    case .one(.object(let target), _):
      try hop(.link(property: index), to: target, name)
      if case .name? = rest.first { return nil }
      if !rest.isEmpty { throw notIndexable(name) }
      return nil
    case .one(let element, _): return try value(index, element, name)
    case .list(.object(let target), _): return try objects(index, target, name, isMap: false, isSet: false)
    case .set(.object(let target), _): return try objects(index, target, name, isMap: false, isSet: true)
    case .map(.object(let target), _): return try objects(index, target, name, isMap: true, isSet: false)
    case .list(let element, _): return try list(index, element, name)
    case .set(let element, _): return try set(index, element, name)
    case .map(let element, _): return try map(index, element, name)
    case .linkingObjects(let source, let property):
      try hop(objectType: source, property: property, name)
      return nil
    }
  }

  private func end(_ end: KeyPath.End, _ element: ElementType) -> KeyPath {
    KeyPath(objectType: root, hops: hops, end: end, type: element)
  }

  private func key(_ name: SyntaxTree.Path.Name) throws(QueryError) -> KeyPath {
    guard name.text == "_key", type.primaryKeyIndex == nil, !type.isEmbedded else {
      let nearest = name.text.nearest(of: type.properties.map(\.name))
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
      let nearest = property.text.nearest(of: sourceType.properties.map(\.name))
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
    _ property: Int, _ target: String, _ name: SyntaxTree.Path.Name, isMap: Bool, isSet: Bool
  ) throws(QueryError) -> KeyPath? {
    switch rest.first {
    case .position(let position, _):
      if isMap || isSet { throw notIndexable(name) }
      rest = rest.dropFirst()
      try hop(.element(property: property, at: position), to: target, name)
    case .key(let key, _):
      if !isMap { throw notIndexable(name) }
      rest = rest.dropFirst()
      try hop(.entry(property: property, key: ExactText(key)), to: target, name)
    case .name(let next) where isMap && schema[target]?[next.text] == nil:
      rest = rest.dropFirst()
      return try entry(property, target, name, next)
    case .all:
      rest = rest.dropFirst()
      try hop(.elements(property: property), to: target, name)
    case .argument, .keyPathArgument: throw notIndexable(name)
    case .name, nil: try hop(.elements(property: property), to: target, name)
    }
    return nil
  }

  /// A name after a map of objects that is no property of theirs.
  private mutating func entry(
    _ property: Int, _ target: String, _ name: SyntaxTree.Path.Name, _ next: SyntaxTree.Path.Name
  ) throws(QueryError) -> KeyPath? {
    switch next.text {
    case "@keys":
      try finish(next)
      return end(.keys(property: property), .string)
    case "@values": try hop(.elements(property: property), to: target, name)
    case "@links":
      rest = [.name(next)] + rest
      try hop(.elements(property: property), to: target, name)
    default: try hop(.entry(property: property, key: ExactText(next.text)), to: target, name)
    }
    return nil
  }
}

/// Properties without objects.
extension PathResolver {
  private mutating func value(
    _ property: Int, _ element: ElementType, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) -> KeyPath {
    let value = end(.value(property: property), element)
    if rest.isEmpty { return value }
    guard element == .mixed else { return try function(of: value, name) }
    return end(.nested(property: property, try steps(rest)), .mixed)
  }

  private mutating func list(
    _ property: Int, _ element: ElementType, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) -> KeyPath {
    switch rest.first {
    case .position(let position, _):
      rest = rest.dropFirst()
      return end(.element(property: property, at: position, try nested(element, name)), element)
    case .all:
      rest = rest.dropFirst()
      return try elements(property, element, name)
    case .name, .key, .argument, .keyPathArgument, nil:
      return try function(of: end(.elements(property: property), element), name)
    }
  }

  private mutating func set(
    _ property: Int, _ element: ElementType, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) -> KeyPath {
    let elements = end(.elements(property: property), element)
    if case .all? = rest.first {
      rest = rest.dropFirst()
      try finish(name)
      return elements
    }
    return try function(of: elements, name)
  }

  private mutating func map(
    _ property: Int, _ element: ElementType, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) -> KeyPath {
    switch rest.popFirst() {
    case nil: return end(.elements(property: property), element)
    case .all: return try elements(property, element, name)
    case .key(let key, _):
      return end(.entry(property: property, key: ExactText(key), try nested(element, name)), element)
    case .name(let next): return try entry(property, element, name, next)
    case .position, .argument, .keyPathArgument: throw notIndexable(name)
    }
  }

  private mutating func entry(
    _ property: Int, _ element: ElementType, _ name: SyntaxTree.Path.Name, _ next: SyntaxTree.Path.Name
  ) throws(QueryError) -> KeyPath {
    switch next.text {
    case "@keys":
      try finish(next)
      return end(.keys(property: property), .string)
    case "@values": return try elements(property, element, name)
    default:
      return end(.entry(property: property, key: ExactText(next.text), try nested(element, next)), element)
    }
  }

  /// All values of a list or map, and what is nested in them.
  private func elements(
    _ property: Int, _ element: ElementType, _ name: SyntaxTree.Path.Name
  ) throws(QueryError) -> KeyPath {
    let steps = try nested(element, name)
    return end(
      steps.isEmpty ? .elements(property: property) : .nestedElements(property: property, steps), element)
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
