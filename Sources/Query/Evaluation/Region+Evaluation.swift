internal import GatehouseModel
internal import Glibc

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
      return Ring(Self.corners(first, second)).contains(place.vector)
    case .polygon(let rings):
      guard let outer = rings.first, Ring(outer).contains(place.vector) else { return false }
      return !rings.dropFirst().contains { Ring($0).contains(place.vector) }
    }
  }

  /// The first ring of a polygon that crosses itself or an earlier one, or that is a hole and not in the outer
  /// ring, or in another hole.
  package static func misplacedRing(of polygon: [[Point]]) -> Int? {
    let rings = polygon.map { Ring($0) }
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
  fileprivate var vector: Vector {
    let (lambda, phi) = (longitude * .pi / 180, latitude * .pi / 180)
    return Vector(x: cos(phi) * cos(lambda), y: cos(phi) * sin(lambda), z: sin(phi))
  }
}

/// A vector in space.
private struct Vector {
  var x: Double
  var y: Double
  var z: Double

  func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }

  func cross(_ other: Vector) -> Vector {
    Vector(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  func angle(to other: Vector) -> Double {
    let normal = cross(other)
    return atan2(normal.dot(normal).squareRoot(), dot(other))
  }

  /// Twice the area, with a sign, of the triangle to two others: positive counterclockwise.
  func turn(_ second: Vector, _ third: Vector) -> Double { cross(second).dot(third) }
}

/// A closed geodesic polygon; of the two parts of the sphere that it bounds, the smaller one.
private struct Ring {
  let vertices: [Vector]

  init(_ points: [Region.Point]) {
    vertices = points.dropLast().map(\.vector)
  }

  private func edge(_ index: Int) -> (Vector, Vector) {
    (vertices[index], vertices[(index + 1) % vertices.count])
  }

  /// Whether two edges that are not neighbours cross.
  var crossesItself: Bool {
    vertices.indices.contains { first in
      vertices.indices.dropFirst(first + 2).contains { second in
        (second + 1) % vertices.count != first && Self.cross(edge(first), edge(second))
      }
    }
  }

  func crosses(_ other: Ring) -> Bool {
    vertices.indices.contains { first in
      other.vertices.indices.contains { Self.cross(edge(first), other.edge($0)) }
    }
  }

  /// Whether two arcs have an inner point in common: each has its ends on both sides of the other.
  private static func cross(_ first: (Vector, Vector), _ second: (Vector, Vector)) -> Bool {
    let (a, b, c, d) = (first.0, first.1, second.0, second.1)
    let (turnC, turnD, turnA, turnB) = (a.turn(b, c), a.turn(b, d), c.turn(d, a), c.turn(d, b))
    // Arcs on opposite parts of the sphere have the signs of all four alike in pairs, but not across.
    return turnC * turnD < 0 && turnA * turnB < 0 && turnC * turnB > 0
  }

  /// Sums up the angles under which the edges are seen from the place: a whole turn inside, none outside.
  func contains(_ place: Vector) -> Bool {
    // Seen from beyond the hemisphere around the polygon's middle the angles mean the other part.
    let middle = vertices.reduce(Vector(x: 0, y: 0, z: 0)) {
      Vector(x: $0.x + $1.x, y: $0.y + $1.y, z: $0.z + $1.z)
    }
    if middle.dot(place) <= 0 { return false }
    var sum = 0.0
    for (index, vertex) in vertices.enumerated() {
      let next = vertices[(index + 1) % vertices.count]
      let (left, right) = (place.cross(vertex), place.cross(next))
      sum += atan2(left.cross(right).dot(place), left.dot(right))
    }
    return abs(sum) > .pi
  }
}
