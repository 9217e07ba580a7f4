import GatehouseBSON
import GatehouseQuery
import Glibc

/// A point of two numbers: longitude and latitude in degrees, or any others on a plane.
struct GeoPoint: Hashable, Sendable {
  let x: Double
  let y: Double

  /// The radius of the Earth that MongoDB has, in meters.
  static let earthRadius = 6_378_100.0

  init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

  /// A position of GeoJSON, or a pair of coordinates: an array, or a document, of which more than two numbers are left aside. Nil: it
  /// is none.
  init?(pair value: Value?) {
    let values: [Value]
    switch value {
    case .array(let elements)?: values = elements
    case .document(let document)?: values = document.elements.map(\.value)
    default: return nil
    }
    guard values.count >= 2, let x = values[0].asDouble, let y = values[1].asDouble, x.isFinite, y.isFinite
    else { return nil }
    (self.x, self.y) = (x, y)
  }

  /// Whether the numbers are degrees.
  var isOnSphere: Bool { abs(x) <= 180 && abs(y) <= 90 }

  /// The place on the sphere that the degrees mean.
  var vector: SphereVector { SphereVector(longitude: x, latitude: y) }

  func planarDistance(to other: GeoPoint) -> Double { hypot(x - other.x, y - other.y) }
}
