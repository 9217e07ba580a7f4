import GatehouseQuery

/// A polygon on the sphere, with great circles between its corners: an outer ring and holes in it.
struct GeoPolygon: Sendable {
  let rings: [GeodesicRing]

  /// - Parameter rings: closed ones, whose last point is the first.
  init(_ rings: [[GeoPoint]]) {
    precondition(
      !rings.isEmpty && rings.allSatisfy { $0.count >= 4 && $0.first == $0.last },
      "a polygon has a ring, and its rings are closed")
    self.rings = rings.map { GeodesicRing($0.dropLast().map(\.vector)) }
  }

  /// The edges of all rings.
  var edges: [(SphereVector, SphereVector)] { rings.flatMap { ring in ring.vertices.indices.map(ring.edge) } }

  /// Whether a place is inside, or on an edge.
  func contains(_ place: SphereVector) -> Bool {
    if edges.contains(where: { place.angle(toArc: $0.0, $0.1) < GeoShape.tolerance }) { return true }
    guard let outer = rings.first, outer.contains(place) else { return false }
    return !rings.dropFirst().contains { $0.contains(place) }
  }

  /// Whether one of the corners is there.
  func isCorner(_ place: SphereVector) -> Bool {
    rings.contains { $0.vertices.contains { $0.angle(to: place) < GeoShape.tolerance } }
  }
}

/// Polygons on a plane.
enum PlanarPolygon {
  /// Whether a point is inside of a ring, or on one of its edges.
  static func contains(_ point: GeoPoint, ring: [GeoPoint]) -> Bool {
    precondition(ring.count >= 3, "a ring has three corners")
    // A ray from the point crosses an odd number of edges.
    var isInside = false
    for index in ring.indices {
      let (a, b) = (ring[index], ring[(index + 1) % ring.count])
      if isOn(point, from: a, to: b) { return true }
      if (a.y > point.y) != (b.y > point.y), point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x {
        isInside.toggle()
      }
    }
    return isInside
  }

  private static func isOn(_ point: GeoPoint, from a: GeoPoint, to b: GeoPoint) -> Bool {
    let cross = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
    return cross == 0 && min(a.x, b.x) <= point.x && point.x <= max(a.x, b.x) && min(a.y, b.y) <= point.y
      && point.y <= max(a.y, b.y)
  }
}
