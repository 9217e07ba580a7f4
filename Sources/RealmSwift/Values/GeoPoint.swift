/// A point on the earth.
public struct GeoPoint: Hashable, Sendable {
  /// Degrees north of the equator, -90 to 90.
  public let latitude: Double
  /// Degrees east of Greenwich, -180 to 180.
  public let longitude: Double
  /// Height, which plays no part in queries.
  public let altitude: Double

  /// Creates a point; nil where latitude or longitude are out of range.
  public init?(latitude: Double, longitude: Double) {
    self.init(latitude: latitude, longitude: longitude, altitude: 0)
  }

  /// Creates a point; nil where latitude or longitude are out of range, or the altitude is negative.
  public init?(latitude: Double, longitude: Double, altitude: Double) {
    guard -90...90 ~= latitude, -180...180 ~= longitude, altitude >= 0 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

extension GeoPoint: CustomStringConvertible {
  /// The longitude, then the latitude, as GeoJSON has them.
  public var description: String { "GeoPoint(\(coordinates))" }

  var coordinates: String {
    altitude == 0 ? "[\(longitude), \(latitude)]" : "[\(longitude), \(latitude), \(altitude)]"
  }
}

/// A length on the surface of the earth.
public struct Distance: Hashable, Sendable {
  private static let earthRadiusInMeters = 6_378_100.0
  private static let metersInMile = 1609.344

  /// The angle at the earth's center.
  public let radians: Double

  private init?(checking radians: Double) {
    guard radians >= 0 else { return nil }
    self.radians = radians
  }

  /// Creates a distance from kilometers; nil where they are negative or no number.
  public static func kilometers(_ kilometers: Double) -> Distance? {
    Distance(checking: kilometers * 1000 / earthRadiusInMeters)
  }

  /// Creates a distance from miles; nil where they are negative or no number.
  public static func miles(_ miles: Double) -> Distance? {
    Distance(checking: miles * metersInMile / earthRadiusInMeters)
  }

  /// Creates a distance from an angle in degrees; nil where it is negative or no number.
  public static func degrees(_ degrees: Double) -> Distance? {
    Distance(checking: degrees * .pi / 180)
  }

  /// Creates a distance from an angle in radians; nil where it is negative or no number.
  public static func radians(_ radians: Double) -> Distance? {
    Distance(checking: radians)
  }

  /// Returns the distance in kilometers.
  public func asKilometers() -> Double { radians * Self.earthRadiusInMeters / 1000 }

  /// Returns the distance in miles.
  public func asMiles() -> Double { radians * Self.earthRadiusInMeters / Self.metersInMile }

  /// Returns the angle at the earth's center in degrees.
  public func asDegrees() -> Double { radians * 180 / .pi }

  /// Returns the angle at the earth's center in radians.
  public func asRadians() -> Double { radians }
}
