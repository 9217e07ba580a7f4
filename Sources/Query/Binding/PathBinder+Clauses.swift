internal import GatehouseModel

/// The paths of SORT and DISTINCT.
extension PathBinder {
  /// Binds SORT, DISTINCT or LIMIT.
  func clause(_ clause: SyntaxTree.Clause, on type: ObjectType) throws(QueryError) -> Plan.Clause {
    switch clause {
    case .sort(let keys):
      var bound: [SortKey] = []
      for key in keys { bound.append(try sortKey(key.path, ascending: key.ascending, on: type)) }
      return .sort(bound)
    case .distinct(let paths):
      var bound: [KeyPath] = []
      for path in paths { bound.append(try orderPath(path, on: type)) }
      return .distinct(bound)
    case .limit(let limit): return .limit(limit)
    }
  }

  /// Binds the keys of a parameter such as `-population,name`.
  func sortKeys(in text: String, on type: ObjectType) throws(QueryError) -> [SortKey] {
    var parser = try Parser(text)
    var keys: [SortKey] = []
    for key in try parser.paths() { keys.append(try sortKey(key.path, ascending: key.ascending, on: type)) }
    return keys
  }

  /// Binds the paths of a parameter such as `name,country.name`.
  func distinctPaths(in text: String, on type: ObjectType) throws(QueryError) -> [KeyPath] {
    var parser = try Parser(text)
    var paths: [KeyPath] = []
    for key in try parser.paths() { paths.append(try orderPath(key.path, on: type)) }
    return paths
  }

  private func sortKey(
    _ path: SyntaxTree.Path, ascending: Bool, on type: ObjectType
  ) throws(QueryError) -> SortKey {
    let bound = try orderPath(path, on: type)
    if case .object = bound.end { throw .sortOnObject(offset: path.offset) }
    return SortKey(path: bound, ascending: ascending)
  }

  /// Binds a path that yields one value: to-one links and a property that is no collection, or an entry of a map.
  func orderPath(_ path: SyntaxTree.Path, on type: ObjectType) throws(QueryError) -> KeyPath {
    let resolved = try resolve(path, on: type)
    try resolved.checkLinks(offset: path.offset)
    for hop in resolved.hops {
      guard case .link = hop.route else { throw .sortThroughCollection(offset: path.offset) }
    }
    if resolved.isToMany { throw .sortOnCollection(offset: path.offset) }
    return resolved
  }
}
