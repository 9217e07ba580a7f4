/// A shape on the earth that a query finds points in: ``GeoBox``, ``GeoPolygon`` or ``GeoCircle``.
public protocol RLMGeospatial: Sendable, CustomStringConvertible {}

/// A part of the earth between two corners.
public struct GeoBox: RLMGeospatial, Hashable {
  /// The corner in the south-west.
  public let bottomLeft: GeoPoint
  /// The corner in the north-east.
  public let topRight: GeoPoint

  /// Creates a box.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// Creates a box from latitudes and longitudes; nil where one is out of range.
  public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
    guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else { return nil }
    self.init(bottomLeft: bottomLeft, topRight: topRight)
  }

  /// The corners, each the longitude first.
  public var description: String { "GeoBox(\(bottomLeft.coordinates), \(topRight.coordinates))" }
}

/// A part of the earth inside a closed line, which may have holes.
public struct GeoPolygon: RLMGeospatial, Hashable {
  /// The line around; its first and last point are the same.
  public let outerRing: [GeoPoint]
  /// The lines around holes.
  public let holes: [[GeoPoint]]

  /// Creates a polygon; nil where a ring has fewer than four points, or does not end where it begins.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
    for ring in [outerRing] + holes where ring.count <= 3 || ring.first != ring.last { return nil }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// Creates a polygon; nil where a ring has fewer than four points, or does not end where it begins.
  public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// Creates a polygon from latitudes and longitudes; nil where one is out of range, a ring has fewer than four points, or
  /// does not end where it begins.
  public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
    let rings = ([outerRing] + holes).map { $0.compactMap { GeoPoint($0) } }
    guard zip(rings, [outerRing] + holes).allSatisfy({ $0.count == $1.count }) else { return nil }
    self.init(outerRing: rings[0], holes: Array(rings.dropFirst()))
  }

  /// Creates a polygon from latitudes and longitudes; nil where one is out of range, a ring has fewer than four points, or
  /// does not end where it begins.
  public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// The rings, of each point the longitude first.
  public var description: String {
    let rings = ([outerRing] + holes).map { "{\($0.map(\.coordinates).joined(separator: ", "))}" }
    return "GeoPolygon(\(rings.joined(separator: ", ")))"
  }
}

/// A part of the earth around a point.
public struct GeoCircle: RLMGeospatial, Hashable {
  /// The point in the middle.
  public let center: GeoPoint
  /// The radius as an angle at the earth's center.
  public let radiusInRadians: Double

  /// Creates a circle; nil where the radius is negative or no number.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// Creates a circle.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    radiusInRadians = radius.radians
  }

  /// Creates a circle around a latitude and longitude; nil where they are out of range, or the radius is negative or no
  /// number.
  public init?(center: (Double, Double), radiusInRadians: Double) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// Creates a circle around a latitude and longitude; nil where they are out of range.
  public init?(center: (Double, Double), radius: Distance) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radius: radius)
  }

  /// The center, its longitude first, and the radius in radians.
  public var description: String { "GeoCircle(\(center.coordinates), \(radiusInRadians))" }
}

extension GeoPoint {
  /// Creates a point from a latitude and a longitude; nil where one is out of range.
  fileprivate init?(_ pair: (Double, Double)) {
    self.init(latitude: pair.0, longitude: pair.1)
  }
}
