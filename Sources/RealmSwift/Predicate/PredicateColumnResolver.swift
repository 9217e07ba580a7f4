internal import GatehouseModel
internal import GatehouseQuery

/// Follows a path as it was written through the schema.
struct PredicateColumnResolver {
  private let schema: GatehouseModel.Schema
  private let path: PredicatePath
  private let root: ObjectType
  private var type: ObjectType
  private var hops: [Hop] = []
  private var rest: ArraySlice<PredicatePath.Element>

  /// `skipped` elements at the beginning name a variable.
  init(_ path: PredicatePath, skipping skipped: Int, on type: ObjectType, in schema: GatehouseModel.Schema) {
    self.schema = schema
    self.path = path
    root = type
    self.type = type
    rest = path.elements.dropFirst(skipped)
  }

  /// Returns what the path yields; the object itself where nothing is left to follow.
  mutating func column() throws(RealmPredicateError) -> PredicateColumn {
    while let element = rest.popFirst() {
      guard case .name(let name) = element else { throw .subscripts(path.text) }
      if let column = try step(name) { return column }
    }
    return column(end(.object, .object(type.name)))
  }

  /// Takes one name, and returns the column if the path ends there.
  private mutating func step(_ name: String) throws(RealmPredicateError) -> PredicateColumn? {
    if name.hasPrefix("@") {
      if name == "@links" {
        if rest.count == 1, case .name("@count")? = rest.first { return incomingLinks() }
        try linkingObjects()
        return nil
      }
      guard hops.last?.isToMany == true || hops.isEmpty else { throw .notCollection(name) }
      guard !hops.isEmpty else { throw .unknownProperty(name, of: type.name) }
      return try operation(name, on: end(.object, .object(type.name)))
    }
    guard let index = type.index(of: name) else {
      guard let fields = type.fieldsIndex else { throw .unknownProperty(name, of: type.name) }
      return column(end(.entry(property: fields, key: type.fieldKey(name), try steps()), .mixed))
    }
    switch type.properties[index].type {
    case .one(.object(let target), _):
      try hop(.link(property: index), to: target)
      return nil
    case .one(let element, _): return try value(index, element)
    case .list(.object(let target), _), .set(.object(let target), _), .map(.object(let target), _):
      return try objects(index, target)
    case .list(let element, _), .set(let element, _), .map(let element, _):
      return try collection(index, element)
    case .linkingObjects(let source, let property):
      try hop(objectType: source, property: property)
      return nil
    }
  }
}

/// Links.
extension PredicateColumnResolver {
  private mutating func hop(_ route: Hop.Route, to target: String) throws(RealmPredicateError) {
    guard let next = schema[target] else { throw .unknownClass(target) }
    if hops.count == KeyPath.linkLimit { throw .tooDeep }
    hops.append(Hop(route, to: target))
    type = next
  }

  private mutating func hop(objectType source: String, property: String) throws(RealmPredicateError) {
    guard let linking = schema[source] else { throw .unknownClass(source) }
    guard let index = linking.index(of: property), linking.properties[index].type.linkTarget == type.name
    else {
      throw .unknownProperty(property, of: source)
    }
    try hop(.linkingObjects(objectType: source, property: index), to: source)
  }

  /// `@links.@count`: the number of links that lead to the object, from properties of whatever classes.
  private mutating func incomingLinks() -> PredicateColumn {
    rest.removeAll()
    let operand = Operand.incomingLinks(
      to: end(.object, .object(type.name)), by: schema.linksLeading(to: type.name))
    return computed("@count", operand, type: .int, isToMany: false)
  }

  /// `@links.Class.property`.
  private mutating func linkingObjects() throws(RealmPredicateError) {
    guard case .name(let source)? = rest.popFirst(), case .name(let property)? = rest.popFirst() else {
      throw .unknownProperty("@links", of: type.name)
    }
    try hop(objectType: source, property: property)
  }

  private mutating func objects(_ property: Int, _ target: String) throws(RealmPredicateError)
    -> PredicateColumn?
  {
    let isMap = if case .map = type.properties[property].type { true } else { false }
    switch rest.first {
    case .name("@allKeys") where isMap: return try keys(property)
    case .name("@allValues") where isMap: rest = rest.dropFirst()
    case .all: rest = rest.dropFirst()
    case .key(let key):
      guard isMap else { throw .subscripts(path.text) }
      rest = rest.dropFirst()
      try hop(.entry(property: property, key: ExactText(key)), to: target)
      return nil
    case .position, .first, .last:
      guard case .list = type.properties[property].type, let position = rest.popFirst()?.place else {
        throw .subscripts(path.text)
      }
      try hop(.element(property: property, at: position), to: target)
      return nil
    case .name, nil: break
    }
    try hop(.elements(property: property), to: target)
    return nil
  }
}

/// Values.
extension PredicateColumnResolver {
  private func end(_ end: KeyPath.End, _ element: ElementType) -> KeyPath {
    KeyPath(objectType: root.name, hops: hops, end: end, type: element)
  }

  private func column(_ values: KeyPath) -> PredicateColumn {
    PredicateColumn(
      path: path, className: root.name, operand: .path(values), values: values, type: values.type,
      isToMany: values.isToMany, function: nil)
  }

  private func value(_ property: Int, _ element: ElementType) throws(RealmPredicateError) -> PredicateColumn {
    if rest.isEmpty { return column(end(.value(property: property), element)) }
    if element == .mixed { return column(end(.nested(property: property, try steps()), element)) }
    if case .name(let next)? = rest.first, next.hasPrefix("@") { throw .notCollection(next) }
    throw .noLink(type.properties[property].name, of: type.name)
  }

  private mutating func collection(
    _ property: Int, _ element: ElementType
  ) throws(RealmPredicateError) -> PredicateColumn {
    let isMap = if case .map = type.properties[property].type { true } else { false }
    let next = rest.popFirst()
    switch next {
    case nil: return column(end(.elements(property: property), element))
    case .name("@allKeys") where isMap: return try keys(property)
    case .name("@allValues") where isMap, .all:
      if rest.isEmpty { return column(end(.elements(property: property), element)) }
      if case .name(let operation)? = rest.popFirst(), operation.hasPrefix("@") {
        return try self.operation(operation, on: end(.elements(property: property), element))
      }
      throw .noLink(type.properties[property].name, of: type.name)
    case .key(let key) where isMap:
      return column(end(.entry(property: property, key: ExactText(key), try nested(element)), element))
    case .position, .first, .last:
      guard case .list = type.properties[property].type, let position = next?.place else {
        throw .subscripts(path.text)
      }
      return column(end(.element(property: property, at: position, try nested(element)), element))
    case .key: throw .subscripts(path.text)
    case .name(let name) where name.hasPrefix("@"):
      return try operation(name, on: end(.elements(property: property), element))
    case .name: throw .noLink(type.properties[property].name, of: type.name)
    }
  }

  private mutating func keys(_ property: Int) throws(RealmPredicateError) -> PredicateColumn {
    if rest.first == .name("@allKeys") { rest = rest.dropFirst() }
    let keys = end(.keys(property: property), .string)
    guard let next = rest.popFirst() else { return column(keys) }
    guard case .name(let name) = next else { throw .subscripts(path.text) }
    return try operation(name, on: keys)
  }

  private func nested(_ element: ElementType) throws(RealmPredicateError) -> [KeyPath.Step] {
    if rest.isEmpty { return [] }
    guard element == .mixed else { throw .subscripts(path.text) }
    return try steps()
  }

  private func steps() throws(RealmPredicateError) -> [KeyPath.Step] {
    var steps: [KeyPath.Step] = []
    for element in rest {
      switch element {
      case .position, .first, .last:
        guard let place = element.place else { throw RealmPredicateError.subscripts(path.text) }
        steps.append(.position(place))
      case .key(let key): steps.append(.key(ExactText(key)))
      case .all, .name("@allValues"): steps.append(.all)
      case .name("@allKeys"): steps.append(.keys)
      case .name(let name): steps.append(.key(ExactText(name)))
      }
    }
    return steps
  }
}

/// `@count` and what is computed from many values.
extension PredicateColumnResolver {
  private mutating func operation(_ name: String, on values: KeyPath) throws(RealmPredicateError)
    -> PredicateColumn
  {
    if name == "@count" || name == "@size" {
      guard rest.isEmpty else {
        throw RealmPredicateError("Invalid predicate", "@count does not have any properties")
      }
      let before = values.end == .object ? values.hops.dropLast() : values.hops[...]
      return computed(name, .count(of: values), type: .int, isToMany: before.contains { $0.isToMany })
    }
    guard let function = AggregateFunction(word: name) else { throw .unknownProperty(name, of: type.name) }
    guard values.end == .object else {
      guard rest.isEmpty else { throw .noLink(path.text, of: root.name) }
      let type = try Self.result(of: function, named: name, over: values.type)
      return computed(
        name, .elementAggregate(function, values), type: type, isToMany: values.hasManyTargets)
    }
    guard case .name(let property)? = rest.popFirst(), rest.isEmpty else {
      throw RealmPredicateError(
        "Invalid predicate", "\(name) on a collection of objects needs one property of theirs")
    }
    guard let index = type.index(of: property) else { throw .unknownProperty(property, of: type.name) }
    guard case .one(let element, _) = type.properties[index].type else { throw .notNumeric(name) }
    let result = try Self.result(of: function, named: name, over: element)
    let targets = end(.value(property: index), element)
    return computed(name, .targetAggregate(function, targets), type: result, isToMany: false)
  }

  private func computed(
    _ name: String, _ operand: Operand, type: ElementType, isToMany: Bool
  ) -> PredicateColumn {
    PredicateColumn(
      path: path, className: root.name, operand: operand, values: nil, type: type, isToMany: isToMany,
      function: name)
  }

  private static func result(
    of function: AggregateFunction, named name: String, over type: ElementType
  ) throws(RealmPredicateError) -> ElementType {
    switch (type, function) {
    case (.date, .minimum), (.date, .maximum), (.mixed, .minimum), (.mixed, .maximum): return type
    case (.mixed, _), (.decimal128, _): return .decimal128
    case (_, .average) where type.isNumber: return .double
    case (.float, .sum): return .double
    case _ where type.isNumber: return type
    default: throw .notNumeric(name)
    }
  }
}

extension PredicatePath.Element {
  /// The place in a list that it names; nil: it is a key or a name.
  fileprivate var place: Position? {
    switch self {
    case .position(let index): index < 0 ? nil : .at(index)
    case .first: .at(0)
    case .last: .last
    case .name, .key, .all: nil
    }
  }
}

extension AggregateFunction {
  fileprivate init?(word: String) {
    switch word {
    case "@min": self = .minimum
    case "@max": self = .maximum
    case "@sum": self = .sum
    case "@avg": self = .average
    default: return nil
    }
  }
}
