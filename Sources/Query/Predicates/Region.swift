/// A part of the sphere.
public enum Region: Hashable, Sendable {
  /// Four corners of a geodesic polygon, two of them given.
  case box(Point, Point)
  /// An outer ring and holes in it, each closed.
  case polygon([[Point]])
  /// Around a point, with a radius in radians.
  case circle(center: Point, radius: Double)

  /// How many points the rings of a polygon may have.
  public static let pointLimit = 500

  /// A place on the sphere, in degrees.
  public struct Point: Hashable, Sendable {
    public let longitude: Double
    public let latitude: Double

    package init(longitude: Double, latitude: Double) {
      self.longitude = longitude
      self.latitude = latitude
    }
  }
}
