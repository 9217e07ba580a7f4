internal import Glibc
internal import Model

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
  private let vertices: [Vector]

  init(_ points: [Region.Point]) {
    vertices = points.dropLast().map(\.vector)
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
