import RealmSwift
import Testing

@Suite struct GeospatialTests {
  @Test(
    arguments: [
      (90, 0, 0, true), (-90, 0, 0, true), (0, 180, 0, true), (0, -180, 5.5, true), (90.000001, 0, 0, false),
      (0, -180.000001, 0, false), (0, 0, -0.1, false), (.nan, 0, 0, false), (0, .nan, 0, false),
      (0, 0, .nan, false), (0, 0, .infinity, true),
    ] as [(Double, Double, Double, Bool)])
  func `a point is on the earth`(latitude: Double, longitude: Double, altitude: Double, isThere: Bool) {
    let point = GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude)
    #expect((point != nil) == isThere)
    #expect(point?.latitude == (isThere ? latitude : nil) && point?.longitude == (isThere ? longitude : nil))
  }

  @Test func `shapes are described with the longitude first`() throws {
    let box = try #require(GeoBox(bottomLeft: (1, 2), topRight: (3, 4)))
    #expect(box.description == "GeoBox([2.0, 1.0], [4.0, 3.0])")
    let circle = try #require(GeoCircle(center: (1, 2), radiusInRadians: 0.5))
    #expect(circle.description == "GeoCircle([2.0, 1.0], 0.5)")
    let polygon = try #require(
      GeoPolygon(outerRing: [(0, 0), (0, 9), (9, 9), (0, 0)], holes: [(1, 2), (1, 3), (2, 3), (1, 2)]))
    #expect(
      polygon.description
        == "GeoPolygon({[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]}, {[2.0, 1.0], [3.0, 1.0], [3.0, 2.0], [2.0, 1.0]})"
    )
    #expect(GeoPoint(latitude: 1, longitude: 2, altitude: 3)?.description == "GeoPoint([2.0, 1.0, 3.0])")
  }

  @Test func `a ring is closed and has four points`() {
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 9), (9, 9), (0, 0)]) != nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 9), (0, 0)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 9), (9, 9), (9, 0)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 99), (99, 9), (0, 0)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 9), (9, 9), (0, 0)], holes: [[(1, 2)]]) == nil)
    #expect(GeoPolygon(outerRing: [(Double, Double)]()) == nil)
  }

  @Test func `a distance is an angle`() throws {
    let distance = try #require(Distance.kilometers(6378.1))
    #expect(distance.radians == 1 && distance.asRadians() == 1)
    #expect(abs(distance.asDegrees() - 57.29577951308232) < 1e-12 && distance.asKilometers() == 6378.1)
    #expect(try #require(Distance.miles(1)).asKilometers() == 1.609344)
    #expect(try #require(Distance.degrees(180)).radians == .pi)
    #expect(abs(try #require(Distance.miles(100)).asMiles() - 100) < 1e-9)
    #expect(Distance.radians(-0.1) == nil && Distance.kilometers(.nan) == nil && Distance.miles(-1) == nil)
    #expect(GeoCircle(center: (0, 0), radius: distance)?.radiusInRadians == 1)
    #expect(GeoCircle(center: (91, 0), radius: distance) == nil)
    #expect(GeoCircle(center: (0, 0), radiusInRadians: -1) == nil)
  }
}
