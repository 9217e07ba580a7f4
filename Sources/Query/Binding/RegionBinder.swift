internal import GatehouseBSON
internal import GatehouseModel

/// Makes regions of what GEOWITHIN is given, and checks that they are such.
struct RegionBinder {
  private let constants: ConstantBinder

  init(_ constants: ConstantBinder) {
    self.constants = constants
  }

  /// Returns the region that stands in the text of the query, or in that of an argument.
  func region(_ argument: SyntaxTree.GeoArgument) throws(QueryError) -> Region {
    switch argument {
    case .region(let shape, let offset): return try region(shape, offset)
    case .argument(let index, let offset):
      guard case .string(let text) = try constants.value(of: index, offset) else {
        throw .argumentTypeMismatch(offset: offset, index: index, type: "region")
      }
      var parser = try Parser(text)
      let shape = try parser.geoShape()
      try parser.expect(.end)
      return try region(shape, offset)
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
    switch try constants.constant(term, hint: .double) {
    case .value(.double(let value)): return value
    case .value(.int(let value)): return Double(value)
    case .value(.float(let value)): return Double(value)
    case .value, .object, .types: throw .coordinatesOutOfBounds(offset: term.offset)
    }
  }
}
