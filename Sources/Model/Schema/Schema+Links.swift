extension Schema {
  /// The classes whose objects may decide what is shown of a class: those that links lead to or come from, however far.
  /// A mixed value may link to any.
  public func classes(around objectType: String) -> Set<String> {
    let all = Set(objectTypes.map(\.name))
    var neighbours: [String: Set<String>] = [:]
    for type in objectTypes {
      for property in type.properties {
        if property.type.isMixed { return all }
        guard let target = property.type.linkTarget else { continue }
        neighbours[type.name, default: []].insert(target)
        neighbours[target, default: []].insert(type.name)
      }
    }
    var found: Set<String> = [objectType]
    var rest = [objectType]
    while let name = rest.popLast() {
      for next in neighbours[name] ?? [] where found.insert(next).inserted { rest.append(next) }
    }
    return found
  }
}

extension PropertyType {
  fileprivate var isMixed: Bool {
    switch self {
    case .one(let element, _), .list(let element, _), .set(let element, _), .map(let element, _):
      element == .mixed
    case .linkingObjects: false
    }
  }
}
