import GatehouseModel

extension ObjectState {
  /// Returns the embedded objects to which properties lead, one inside the other; without any, the object itself.
  func embedded(along path: ArraySlice<Int>, _ layouts: ClassLayouts) -> [ObjectState] {
    guard let property = path.first else { return [self] }
    let type = layout.objectType.properties[property].type
    guard case .object(let name)? = type.stored?.element, let next = layouts[name] else { return [] }
    return values[property].elements(of: type).filter { $0 != .null }.flatMap {
      ObjectState(next, embedded: $0).embedded(along: path.dropFirst(), layouts)
    }
  }

  /// Returns the identifiers that the links of a property to objects of the class lead to; all but the last of the
  /// path lead to embedded objects.
  func links(along path: ArraySlice<Int>, to target: String, _ layouts: ClassLayouts) -> [Mixed] {
    guard let property = path.first else { return [] }
    let type = layout.objectType.properties[property].type
    let elements = values[property].elements(of: type).filter { $0 != .null }
    guard path.count > 1 else { return elements.flatMap { $0.targets(of: type, in: target) } }
    guard case .object(let name)? = type.stored?.element, let embedded = layouts[name] else { return [] }
    return elements.flatMap {
      ObjectState(embedded, embedded: $0).links(along: path.dropFirst(), to: target, layouts)
    }
  }
}

extension Mixed {
  /// Returns the identifiers that the links in an element of a property lead to; of one class only, or of any.
  func targets(of type: PropertyType, in objectType: String? = nil) -> [Mixed] {
    guard type.stored?.element == .mixed else { return self == .null ? [] : [self] }
    if let reference {
      return objectType == nil || objectType == reference.objectType ? [reference.id] : []
    }
    switch self {
    case .list(let values): return values.flatMap { $0.targets(of: type, in: objectType) }
    case .dictionary(let entries): return entries.flatMap { $0.value.targets(of: type, in: objectType) }
    default: return []
    }
  }

  /// The values that a property of that type holds.
  func elements(of type: PropertyType) -> [Mixed] {
    switch (type, self) {
    case (.one, _): [self]
    case (.list, .list(let values)), (.set, .list(let values)): values
    case (.map, .dictionary(let entries)): entries.map(\.value)
    default: []
    }
  }
}
