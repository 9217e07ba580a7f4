internal import GatehouseModel

extension Region {
  /// Whether the object is a GeoJSON point in the region.
  func contains<Object: ObjectView>(_ object: Object) -> Bool {
    guard case .string(let type)? = object.value(named: "type"), type.lowercased() == "point",
      case .list(let coordinates)? = object.value(named: "coordinates"), coordinates.count >= 2,
      case .double(let longitude) = coordinates[0], case .double(let latitude) = coordinates[1],
      -180...180 ~= longitude, -90...90 ~= latitude
    else { return false }
    return contains(Point(longitude: longitude, latitude: latitude))
  }

  /// Whether the place is in the region.
  public func contains(_ place: Point) -> Bool {
    switch self {
    case .circle(let center, let radius):
      return center.vector.angle(to: place.vector) <= radius
    case .box(let first, let second):
      return GeodesicRing(Self.corners(first, second)).contains(place.vector)
    case .polygon(let rings):
      guard let outer = rings.first, GeodesicRing(outer).contains(place.vector) else { return false }
      return !rings.dropFirst().contains { GeodesicRing($0).contains(place.vector) }
    }
  }

  /// The first ring of a polygon that crosses itself or an earlier one, or that is a hole and not in the outer
  /// ring, or in another hole.
  package static func misplacedRing(of polygon: [[Point]]) -> Int? {
    let rings = polygon.map { GeodesicRing($0) }
    for (index, ring) in rings.enumerated() {
      if ring.crossesItself { return index }
      for (earlier, other) in rings[..<index].enumerated() {
        guard let vertex = ring.vertices.first, !ring.crosses(other) else { return index }
        if other.contains(vertex) != (earlier == 0) { return index }
      }
    }
    return nil
  }

  private static func corners(_ first: Point, _ second: Point) -> [Point] {
    [
      first, Point(longitude: second.longitude, latitude: first.latitude), second,
      Point(longitude: first.longitude, latitude: second.latitude), first,
    ]
  }
}

extension Region.Point {
  /// The place on the unit sphere.
  fileprivate var vector: SphereVector { SphereVector(longitude: longitude, latitude: latitude) }
}

extension GeodesicRing {
  /// A ring whose last point is its first.
  fileprivate init(_ points: [Region.Point]) { self.init(points.dropLast().map(\.vector)) }
}
