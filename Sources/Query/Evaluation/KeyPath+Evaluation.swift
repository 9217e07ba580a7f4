package import GatehouseModel

extension KeyPath {
  /// Returns the values that the path yields, a group for each innermost collection of values.
  package func values<Object: ObjectView>(of object: Object) -> [[Mixed]] {
    if case .object = end { return [links(from: object)] }
    if !hasManyTargets {
      guard let target = hops[...].target(of: object) else { return [end.isToMany ? [] : [end.valueOfNull]] }
      return end.groups(of: target)
    }
    let targets = hops[...].targets(of: object)
    if !end.isToMany { return [targets.flatMap { end.groups(of: $0).joined() }] }
    let groups = targets.flatMap { end.groups(of: $0) }
    return groups.isEmpty ? [[]] : groups
  }

  /// Returns the objects that the path arrives at.
  func targets<Object: ObjectView>(of object: Object) -> [Object] {
    hops[...].targets(of: object)
  }

  /// Returns the links that the last hop follows, null where a to-one link is or lies behind one.
  private func links<Object: ObjectView>(from object: Object) -> [Mixed] {
    guard let last = hops.last else { return [] }
    let links = hops.dropLast().targets(of: object).flatMap { last.links(of: $0) }
    if hasManyTargets { return links.filter { $0 != .null } }
    return links.isEmpty ? [.null] : links
  }
}

extension ArraySlice<Hop> {
  /// Returns the object that hops of which none leads to many arrive at.
  func target<Object: ObjectView>(of object: Object) -> Object? {
    var object = object
    for hop in self {
      guard let next = hop.targets(of: object).first else { return nil }
      object = next
    }
    return object
  }

  func targets<Object: ObjectView>(of object: Object) -> [Object] {
    var objects = [object]
    for hop in self { objects = objects.flatMap { hop.targets(of: $0) } }
    return objects
  }
}

extension Hop {
  /// Null and dangling links lead nowhere.
  func targets<Object: ObjectView>(of object: Object) -> [Object] {
    if case .linkingObjects(let objectType, let property) = route {
      return object.linkingObjects(objectType, property)
    }
    return links(of: object).compactMap { link in
      if case .link(let link) = link { object.object(link) } else { nil }
    }
  }

  /// Returns the number of links that there are to follow.
  func count<Object: ObjectView>(of object: Object) -> Int {
    switch route {
    case .linkingObjects(let objectType, let property): object.linkingObjects(objectType, property).count
    case .elements(let property): object.elements(property).count
    case .link, .element, .entry: links(of: object).count { $0 != .null }
    }
  }

  func links<Object: ObjectView>(of object: Object) -> [Mixed] {
    switch route {
    case .link(let property): [object.value(property)]
    case .elements(let property): object.elements(property)
    case .element(let property, let position): object.elements(property).element(at: position)
    case .entry(let property, let key):
      object.entry(property, key).map { [$0] } ?? []
    case .linkingObjects(let objectType, let property):
      object.linkingObjects(objectType, property).map { $0.link(as: objectType) }
    }
  }
}

extension ObjectView {
  /// The value of a map's key; nil where there is no such key.
  ///
  /// Keys and values are two questions, and a view that may not continue in between has no answer to the second.
  fileprivate func entry(_ property: Int, _ key: ExactText) -> Mixed? {
    guard let index = keys(property).firstIndex(where: { $0.compareBytes(key.text) == 0 }) else { return nil }
    let values = elements(property)
    return index < values.count ? values[index] : nil
  }
}

extension [Mixed] {
  func element(at position: Position) -> [Mixed] {
    switch position {
    case .at(let index): index < count ? [self[index]] : []
    case .last: suffix(1)
    }
  }
}

extension KeyPath.End {
  /// Returns the values that are read of one object.
  func groups<Object: ObjectView>(of object: Object) -> [[Mixed]] {
    switch self {
    case .object: []
    case .key: [[.int(object.key.value)]]
    case .value(let property): [[object.value(property)]]
    case .nested(let property, let steps): steps.groups(in: [object.value(property)], object)
    case .elements(let property): [object.elements(property)]
    case .nestedElements(let property, let steps): steps.groups(in: object.elements(property), object)
    case .element(let property, let position, let steps):
      steps.groups(in: object.elements(property).element(at: position), object)
    case .entry(let property, let key, let steps):
      object.isDocument
        ? steps.fields(of: object.entry(property, key) ?? .null, object)
        : steps.groups(in: Self.entry(key, of: property, in: object), object)
    case .keys(let property): [object.keys(property).map { .string($0) }]
    case .function(let function, let end, let type):
      end.groups(of: object).map { $0.map { function.value(of: $0, type: type) } }
    }
  }

  /// The value where a link on the way is null.
  fileprivate var valueOfNull: Mixed {
    if case .function(let function, let end, let type) = self {
      function.value(of: end.valueOfNull, type: type)
    } else {
      .null
    }
  }

  private static func entry<Object: ObjectView>(
    _ key: ExactText, of property: Int, in object: Object
  ) -> [Mixed] {
    if let value = object.entry(property, key) { return [value] }
    return object.keys(property).isEmpty ? [] : [.null]
  }
}

extension [KeyPath.Step] {
  /// Returns the values that the steps lead to, a group for each innermost collection.
  func groups<Object: ObjectView>(in values: [Mixed], _ object: Object) -> [[Mixed]] {
    guard let first else { return [values] }
    let rest = Array(dropFirst())
    let groups = values.map { first.step(into: $0, object) }
    let isLastMany = !rest.contains { $0.isToMany } && first.isToMany
    if rest.isEmpty { return isLastMany ? groups : [groups.flatMap { $0 }] }
    let inner = groups.map { rest.groups(in: $0, object) }
    return rest.contains { $0.isToMany } ? inner.flatMap { $0 } : [inner.flatMap { $0.flatMap { $0 } }]
  }
}

extension [KeyPath.Step] {
  /// Returns the values that the steps lead to from the value of a document's field. A field that is not there is null, also inside of
  /// documents that are not there; a list on the way has none.
  fileprivate func fields<Object: ObjectView>(of value: Mixed, _ object: Object) -> [[Mixed]] {
    var value = value
    for (place, step) in enumerated() {
      guard case .key(let name) = step else { return Array(self[place...]).groups(in: [value], object) }
      switch value {
      case .list: return [[]]
      case .dictionary(let entries):
        value = entries.first { $0.key.compareBytes(name.text) == 0 }?.value ?? .null
      case .link(let link): value = object.object(link)?.value(named: name.text) ?? .null
      case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid:
        value = .null
      }
    }
    return [[value]]
  }
}

extension KeyPath.Step {
  fileprivate func step<Object: ObjectView>(into value: Mixed, _ object: Object) -> [Mixed] {
    switch (self, value) {
    case (.position(let position), .list(let elements)): elements.element(at: position)
    case (.key(let key), .dictionary(let entries)): Self.entry(key, entries)
    case (.key(let name), .link(let link)):
      object.object(link)?.value(named: name.text).map { [$0] } ?? []
    case (.all, .list(let elements)): elements
    case (.all, .dictionary(let entries)): entries.map(\.value)
    case (.keys, .dictionary(let entries)): entries.map { .string($0.key) }
    case (.position, _), (.key, _), (.all, _), (.keys, _): []
    }
  }

  /// A missing key is null, but in an empty dictionary it is no value at all (realm-core, `collection.cpp`).
  private static func entry(_ key: ExactText, _ entries: [Mixed.Entry]) -> [Mixed] {
    if let entry = entries.first(where: { $0.key.compareBytes(key.text) == 0 }) { return [entry.value] }
    return entries.isEmpty ? [] : [.null]
  }
}
