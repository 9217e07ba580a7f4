internal import Glibc

/// A vector in space; one of length 1 is a place on the sphere.
package struct SphereVector: Hashable, Sendable {
  package let x: Double
  package let y: Double
  package let z: Double

  package init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  /// The place of coordinates in degrees.
  package init(longitude: Double, latitude: Double) {
    let (lambda, phi) = (longitude * .pi / 180, latitude * .pi / 180)
    self.init(x: cos(phi) * cos(lambda), y: cos(phi) * sin(lambda), z: sin(phi))
  }

  package static func + (left: SphereVector, right: SphereVector) -> SphereVector {
    SphereVector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }

  package static func * (left: SphereVector, right: Double) -> SphereVector {
    SphereVector(x: left.x * right, y: left.y * right, z: left.z * right)
  }

  package func dot(_ other: SphereVector) -> Double { x * other.x + y * other.y + z * other.z }

  package func cross(_ other: SphereVector) -> SphereVector {
    SphereVector(
      x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  package var length: Double { dot(self).squareRoot() }

  /// The vector of length 1 in the same direction; nil where it has none.
  package var unit: SphereVector? {
    let length = length
    return length > 1e-15 ? self * (1 / length) : nil
  }

  /// In radians.
  package func angle(to other: SphereVector) -> Double { atan2(cross(other).length, dot(other)) }

  /// The angle to the nearest point of an arc, in radians.
  package func angle(toArc start: SphereVector, _ end: SphereVector) -> Double {
    let ends = min(angle(to: start), angle(to: end))
    // The nearest point of the great circle counts where it is between the ends.
    guard let normal = start.cross(end).unit, let foot = (self + normal * -dot(normal)).unit,
      start.turn(foot, normal) >= 0, foot.turn(end, normal) >= 0
    else { return ends }
    return min(ends, angle(to: foot))
  }

  /// Twice the area, with a sign, of the triangle to two others: positive counterclockwise.
  package func turn(_ second: SphereVector, _ third: SphereVector) -> Double { cross(second).dot(third) }

  /// Whether two arcs have an inner point in common: each has its ends on both sides of the other.
  package static func cross(
    _ first: (SphereVector, SphereVector), _ second: (SphereVector, SphereVector)
  ) -> Bool {
    let (a, b, c, d) = (first.0, first.1, second.0, second.1)
    let (turnC, turnD, turnA, turnB) = (a.turn(b, c), a.turn(b, d), c.turn(d, a), c.turn(d, b))
    // Arcs on opposite parts of the sphere have the signs of all four alike in pairs, but not across.
    return turnC * turnD < 0 && turnA * turnB < 0 && turnC * turnB > 0
  }
}
