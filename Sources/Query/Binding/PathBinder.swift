internal import GatehouseBSON
internal import GatehouseModel

/// Binds paths: looks up their names, and says what their values are.
struct PathBinder {
  private let constants: ConstantBinder
  /// The classes and variables of the SUBQUERYs around, the innermost last.
  private var variables: [(name: String, objectType: String)] = []

  init(_ constants: ConstantBinder) {
    self.constants = constants
  }

  /// Whether a variable is known.
  var isInSubquery: Bool { !variables.isEmpty }

  /// Makes the variable of a SUBQUERY known until ``leaveSubquery()``.
  mutating func enterSubquery(variable: String, of objectType: String, offset: Int) throws(QueryError) {
    if variables.contains(where: { $0.name == variable && $0.objectType == objectType }) {
      throw .subqueryVariableInUse(offset: offset, name: variable)
    }
    variables.append((variable, objectType))
  }

  mutating func leaveSubquery() {
    precondition(isInSubquery, "a SUBQUERY that is left was entered")
    variables.removeLast()
  }

  /// Returns the path from objects of the class, bound to the schema.
  func resolve(_ path: SyntaxTree.Path, on type: ObjectType) throws(QueryError) -> KeyPath {
    if let property = ownProperty(path, of: type) { return property }
    let elements = try substituted(path)
    var resolver = PathResolver(elements[...], offset: path.offset, on: type, in: constants.schema)
    return try resolver.resolve()
  }

  /// A name alone, of a property that is no link and no collection: by far the most frequent path.
  private func ownProperty(_ path: SyntaxTree.Path, of type: ObjectType) -> KeyPath? {
    guard variables.isEmpty, path.elements.count == 1, case .name(let name) = path.elements[0],
      let property = type.index(of: name.text), case .one(let element, _) = type.properties[property].type
    else { return nil }
    if case .object = element { return nil }
    return KeyPath(objectType: type.name, hops: [], end: .value(property: property), type: element)
  }

  /// The elements without the SUBQUERY's variable, arguments replaced by their values.
  private func substituted(_ path: SyntaxTree.Path) throws(QueryError) -> [SyntaxTree.Path.Element] {
    if variables.isEmpty, !path.elements.contains(where: \.isArgument) { return path.elements }
    let limit = Parser.depthLimit
    var elements: [SyntaxTree.Path.Element] = []
    for (index, element) in path.elements.enumerated() {
      switch element {
      case .name(let name) where index == 0 && name.text == variables.last?.name: break
      case .argument(let argument, let offset): elements.append(try self.index(argument, offset))
      case .keyPathArgument(let argument, let offset):
        elements += try keyPath(argument, offset).elements
      case .name, .position, .all, .key: elements.append(element)
      }
      if elements.count > limit { throw .tooDeep(offset: path.offset, limit: limit) }
    }
    return elements
  }

  private func index(_ argument: Int, _ offset: Int) throws(QueryError) -> SyntaxTree.Path.Element {
    switch try constants.value(of: argument, offset) {
    case .int32(let position) where position >= 0: return .position(.at(Int(position)), offset: offset)
    case .int64(let position) where position >= 0: return .position(.at(Int(position)), offset: offset)
    case .string(let key): return .key(key, offset: offset)
    default: throw .argumentTypeMismatch(offset: offset, index: argument, type: "index or key")
    }
  }

  private func keyPath(_ argument: Int, _ offset: Int) throws(QueryError) -> SyntaxTree.Path {
    guard case .string(let text) = try constants.value(of: argument, offset) else {
      throw .argumentTypeMismatch(offset: offset, index: argument, type: "key path")
    }
    var parser = try Parser(text)
    let paths = try parser.paths()
    guard paths.count == 1, let path = paths.first, path.ascending else {
      throw .argumentTypeMismatch(offset: offset, index: argument, type: "key path")
    }
    return path.path
  }

  /// Returns what the path yields, its `@count`, `@type` or `@links` included.
  func bound(_ path: SyntaxTree.Path, on type: ObjectType) throws(QueryError) -> BoundOperand {
    if case .name(let last)? = path.elements.last, last.text == "@links" {
      return try incomingLinks(path, last, on: type)
    }
    let resolved = try resolve(path, on: type)
    var bound = BoundOperand(
      .path(resolved), type: resolved.type, quantifier: path.quantifier, isMany: resolved.isToMany,
      offset: path.offset)
    bound.isPicked = resolved.picksFromMany
    switch path.suffix {
    case .count: bound = try count(resolved, bound)
    case .type: bound = try types(resolved, bound)
    case nil: break
    }
    try checkQuantifier(of: bound)
    return bound
  }

  private func checkQuantifier(of bound: BoundOperand) throws(QueryError) {
    guard let quantifier = bound.quantifier, !bound.isMany else { return }
    throw .quantifierWithoutList(offset: bound.offset, quantifier: quantifier.word)
  }

  private func count(_ path: KeyPath, _ bound: BoundOperand) throws(QueryError) -> BoundOperand {
    var counted = bound
    counted.type = .int
    switch path.end {
    case .object:
      counted.operand = .count(of: path)
      counted.isMany = path.hops.dropLast().contains { $0.isToMany }
    case .elements, .keys:
      counted.operand = .count(of: path)
      counted.isMany = path.hasManyTargets
    case .key, .value, .nested, .nestedElements, .element, .entry, .function:
      if !path.type.isTextual {
        throw .aggregateUnsupported(offset: bound.offset, function: "@count", type: path.typeRead.name)
      }
      counted.operand = .path(path.applying(.size))
    }
    return counted
  }

  private func types(_ path: KeyPath, _ bound: BoundOperand) throws(QueryError) -> BoundOperand {
    // The type of anything else is known beforehand, and so a constant.
    if path.type != .mixed {
      try checkQuantifier(of: bound)
      return BoundOperand(.constant(.types(TypeSet(path.type))), type: nil, offset: bound.offset)
    }
    var typed = bound
    typed.operand = .path(path.applying(.type))
    typed.type = nil
    return typed
  }

  /// `@links.@count`: all links that lead to the object, or, through a path, to all objects that it reaches.
  private func incomingLinks(
    _ path: SyntaxTree.Path, _ name: SyntaxTree.Path.Name, on type: ObjectType
  ) throws(QueryError) -> BoundOperand {
    if path.suffix != .count || path.quantifier != nil { throw .incompletePath(offset: name.offset) }
    var prefix = path
    prefix.elements.removeLast()
    let isOwn = try substituted(prefix).isEmpty
    let resolved = isOwn ? nil : try resolve(prefix, on: type)
    if let resolved, resolved.end != .object { throw .incompletePath(offset: name.offset) }
    let own = KeyPath(objectType: type.name, hops: [], end: .object, type: .object(type.name))
    let target = resolved ?? own
    let operand = Operand.incomingLinks(to: target, by: constants.schema.linksLeading(to: target.targetType))
    return BoundOperand(operand, type: .int, offset: path.offset)
  }
}
