internal import GatehouseBSON
internal import GatehouseModel

/// GEOWITHIN.
extension Binder {
  func within(
    _ path: SyntaxTree.Path, _ argument: SyntaxTree.GeoArgument, on type: ObjectType
  ) throws(QueryError) -> Predicate {
    let resolved = try paths.resolve(path, on: type)
    let target = try constants.objectType(resolved.targetType, offset: path.offset)
    guard case .object = resolved.end, target.isEmbedded, target.hasGeoShape else {
      throw .geoNeedsEmbeddedObject(offset: path.offset)
    }
    if let quantifier = path.quantifier, !resolved.isToMany {
      throw .quantifierWithoutList(offset: path.offset, quantifier: quantifier.word)
    }
    return .within(resolved, path.quantifier ?? .any, try RegionBinder(constants).region(argument))
  }
}

extension ObjectType {
  /// `type: string` and `coordinates: double[]`, as GeoJSON's points.
  fileprivate var hasGeoShape: Bool {
    guard case .one(.string, _)? = self["type"]?.type, case .list(.double, _)? = self["coordinates"]?.type
    else { return false }
    return true
  }
}
