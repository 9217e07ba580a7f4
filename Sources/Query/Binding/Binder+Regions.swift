internal import BSON
internal import Model

/// GEOWITHIN.
extension Binder {
  func within(
    _ path: SyntaxTree.Path, _ argument: SyntaxTree.GeoArgument, on type: ObjectType
  ) throws(QueryError) -> Predicate {
    let resolved = try resolve(path, on: type)
    let target = try objectType(resolved.targetType, offset: path.offset)
    guard case .object = resolved.end, target.isEmbedded, target.hasGeoShape else {
      throw .geoNeedsEmbeddedObject(offset: path.offset)
    }
    if let quantifier = path.quantifier, !resolved.isToMany {
      throw .quantifierWithoutList(offset: path.offset, quantifier: quantifier.word)
    }
    switch argument {
    case .region(let shape, let offset):
      return .within(resolved, path.quantifier ?? .any, try region(shape, offset))
    case .argument(let index, let offset):
      guard case .string(let text) = try value(of: index, offset) else {
        throw .argumentTypeMismatch(offset: offset, index: index, type: "region")
      }
      var parser = try Parser(text)
      let shape = try parser.geoShape()
      try parser.expect(.end)
      return .within(resolved, path.quantifier ?? .any, try region(shape, offset))
    }
  }

  private func region(_ shape: SyntaxTree.GeoShape, _ offset: Int) throws(QueryError) -> Region {
    switch shape {
    case .box(let first, let second): return .box(try point(first), try point(second))
    case .circle(let center, let radius):
      let radius = try coordinate(radius)
      if !(radius >= 0) { throw .radiusOutOfBounds(offset: offset) }
      return .circle(center: try point(center), radius: radius)
    case .polygon(let rings):
      var polygon: [[Region.Point]] = []
      for (index, ring) in rings.enumerated() {
        var points: [Region.Point] = []
        for coordinates in ring { points.append(try point(coordinates)) }
        if points.first != points.last || points.count < 2 {
          throw .ringNotClosed(offset: offset, ring: index)
        }
        if Set(points).count < 3 { throw .ringTooSmall(offset: offset, ring: index) }
        polygon.append(points)
      }
      // Looking for rings that cross compares each edge with each other one.
      let count = polygon.reduce(0) { $0 + $1.count }
      if count > Region.pointLimit { throw .tooManyTerms(offset: offset, limit: Region.pointLimit) }
      if let ring = Region.misplacedRing(of: polygon) { throw .ringsCross(offset: offset, ring: ring) }
      return .polygon(polygon)
    }
  }

  private func point(_ coordinates: [SyntaxTree.Term]) throws(QueryError) -> Region.Point {
    let longitude = try coordinate(coordinates[0])
    let latitude = try coordinate(coordinates[1])
    guard -180...180 ~= longitude, -90...90 ~= latitude else {
      throw .coordinatesOutOfBounds(offset: coordinates[0].offset)
    }
    return Region.Point(longitude: longitude, latitude: latitude)
  }

  private func coordinate(_ term: SyntaxTree.Term) throws(QueryError) -> Double {
    let constant: Constant
    switch term {
    case .literal(let literal, let offset): constant = try self.constant(literal, offset, hint: .double)
    case .argument(let index, _, let offset):
      constant = try self.constant(argument: index, value(of: index, offset), offset, hint: .double)
    case .list, .path, .aggregate, .subquery, .arithmetic: throw .incompletePath(offset: term.offset)
    }
    switch constant {
    case .value(.double(let value)): return value
    case .value(.int(let value)): return Double(value)
    case .value(.float(let value)): return Double(value)
    case .value, .object, .types: throw .coordinatesOutOfBounds(offset: term.offset)
    }
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
