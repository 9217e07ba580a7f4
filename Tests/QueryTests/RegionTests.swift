import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

@Suite struct RegionTests {
  private func region(_ text: String) throws -> Region {
    let plan = try Library.plan("place GEOWITHIN \(text)")
    guard case .within(_, _, let region) = plan.predicate else { throw QueryError.incompletePath(offset: 0) }
    return region
  }

  private func point(_ longitude: Double, _ latitude: Double) throws -> Region.Point {
    guard case .circle(let center, _) = try region("geoCircle([\(longitude), \(latitude)], 1)") else {
      throw QueryError.incompletePath(offset: 0)
    }
    return center
  }

  @Test(arguments: [
    ("geoBox([0, 0], [10, 10])", 5.0, 5.0, true),
    ("geoBox([0, 0], [10, 10])", 11.0, 5.0, false),
    ("geoBox([10, 10], [0, 0])", 5.0, 5.0, true),
    ("geoBox([0, 10], [10, 0])", 5.0, 5.0, true),
    // An edge is a great circle, which between two places of one latitude goes nearer to the pole.
    ("geoBox([-60, 40], [60, 50])", 0.0, 41.0, false),
    ("geoBox([-60, 40], [60, 50])", 0.0, 60.0, true),
    // Across the date line.
    ("geoPolygon({[170, -10], [-170, -10], [-170, 10], [170, 10], [170, -10]})", 180.0, 0.0, true),
    ("geoPolygon({[170, -10], [-170, -10], [-170, 10], [170, 10], [170, -10]})", 0.0, 0.0, false),
    // A hole, and clockwise rings.
    (
      "geoPolygon({[0, 0], [0, 9], [9, 9], [9, 0], [0, 0]}, {[3, 3], [6, 3], [6, 6], [3, 6], [3, 3]})", 1, 1,
      true
    ),
    (
      "geoPolygon({[0, 0], [0, 9], [9, 9], [9, 0], [0, 0]}, {[3, 3], [6, 3], [6, 6], [3, 6], [3, 3]})", 4, 5,
      false
    ),
    // A degree of latitude is π/180.
    ("geoCircle([0, 0], 0.0175)", 0.0, 1.0, true),
    ("geoCircle([0, 0], 0.0174)", 0.0, 1.0, false),
    ("geoCircle([0, 90], 0.5)", 123.0, 80.0, true),
  ])
  func `a region holds a place, or does not`(
    text: String, longitude: Double, latitude: Double, isInside: Bool
  ) throws {
    #expect(try region(text).contains(point(longitude, latitude)) == isInside)
  }

  @Test(arguments: [
    // A bow tie.
    ("geoPolygon({[0, 0], [9, 9], [9, 0], [0, 9], [0, 0]})", 0),
    // A hole outside, and one across the border.
    (
      "geoPolygon({[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]}, {[13, 3], [16, 3], [16, 6], [13, 6], [13, 3]})", 1
    ),
    ("geoPolygon({[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]}, {[3, 3], [16, 3], [16, 6], [3, 6], [3, 3]})", 1),
    // A hole in a hole.
    (
      """
      geoPolygon({[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]}, {[1, 1], [8, 1], [8, 8], [1, 8], [1, 1]}, \
      {[3, 3], [6, 3], [6, 6], [3, 6], [3, 3]})
      """, 2
    ),
  ])
  func `rings that cross, and misplaced holes, are refused`(text: String, ring: Int) {
    #expect(throws: QueryError.ringsCross(offset: 16, ring: ring)) { try region(text) }
  }

  @Test func `a polygon of too many points is refused`() {
    let points = (0...600).map { "[\(Double($0 % 600) / 10), \($0 % 2)]" }.joined(separator: ", ")
    #expect(throws: QueryError.tooManyTerms(offset: 16, limit: 500)) { try region("geoPolygon({\(points)})") }
  }
}
