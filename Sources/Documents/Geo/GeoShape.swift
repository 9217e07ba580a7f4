import GatehouseBSON
import GatehouseQuery

/// A shape on the sphere, as GeoJSON (RFC 7946) says it, with great circles in the place of straight lines; or a pair of coordinates.
struct GeoShape: Sendable {
  /// Radians below which two points are one: some micrometers.
  static let tolerance = 1e-12

  private(set) var points: [SphereVector] = []
  private(set) var lines: [[SphereVector]] = []
  private(set) var polygons: [GeoPolygon] = []
  /// The only point, in degrees, where it is one.
  private(set) var single: GeoPoint?

  /// The most collections in each other.
  private static let depthLimit = 10

  init(_ point: GeoPoint) {
    points = [point.vector]
    single = point
  }

  /// Reads GeoJSON. Throws what MongoDB has against it.
  init(geoJSON document: Document, depth: Int = 0) throws(DocumentsError) {
    guard case .string(let type)? = document["type"] else {
      throw .badValue("unknown GeoJSON type: the member type is missing")
    }
    if type == "GeometryCollection" {
      guard case .array(let members)? = document["geometries"], depth < GeoShape.depthLimit else {
        throw .badValue("GeometryCollection geometries must be an array")
      }
      for member in members {
        guard case .document(let inner) = member else {
          throw .badValue("Element of GeometryCollection must be an object")
        }
        let shape = try GeoShape(geoJSON: inner, depth: depth + 1)
        points += shape.points
        lines += shape.lines
        polygons += shape.polygons
      }
      return
    }
    let coordinates = document["coordinates"]
    switch type {
    case "Point":
      let point = try GeoShape.position(coordinates)
      (points, single) = ([point.vector], point)
    case "MultiPoint": points = try GeoShape.positions(coordinates).map(\.vector)
    case "LineString": lines = [try GeoShape.line(coordinates)]
    case "MultiLineString":
      lines = try GeoShape.list(coordinates).mapped { value throws(DocumentsError) in try GeoShape.line(value)
      }
    case "Polygon": polygons = [try GeoShape.polygon(coordinates)]
    case "MultiPolygon":
      polygons = try GeoShape.list(coordinates).mapped { value throws(DocumentsError) in
        try GeoShape.polygon(value)
      }
    default: throw .badValue("unknown GeoJSON type")
    }
  }

  /// The shape that a value of a document is; nil: none.
  init?(_ value: Value?) {
    if case .document(let document)? = value, case .string? = document["type"],
      document["coordinates"] != nil || document["geometries"] != nil
    {
      guard let shape = try? GeoShape(geoJSON: document) else { return nil }
      self = shape
      return
    }
    guard let point = GeoPoint(pair: value), point.isOnSphere else { return nil }
    self.init(point)
  }

  private static func list(_ value: Value?) throws(DocumentsError) -> [Value] {
    guard case .array(let values)? = value, !values.isEmpty else {
      throw .badValue("GeoJSON coordinates must be an array")
    }
    return values
  }

  private static func position(_ value: Value?) throws(DocumentsError) -> GeoPoint {
    guard case .array? = value, let point = GeoPoint(pair: value) else {
      throw .badValue("Point must only contain numeric elements")
    }
    guard point.isOnSphere else { throw .badValue("longitude/latitude is out of bounds") }
    return point
  }

  private static func positions(_ value: Value?) throws(DocumentsError) -> [GeoPoint] {
    try list(value).mapped { value throws(DocumentsError) in try position(value) }
  }

  private static func line(_ value: Value?) throws(DocumentsError) -> [SphereVector] {
    let points = try positions(value)
    guard points.count >= 2 else { throw .badValue("GeoJSON LineString must have at least 2 vertices") }
    return points.map(\.vector)
  }

  private static func polygon(_ value: Value?) throws(DocumentsError) -> GeoPolygon {
    let rings = try list(value).mapped { value throws(DocumentsError) in try positions(value) }
    for ring in rings {
      guard ring.count >= 4, Set(ring).count >= 3 else {
        throw .badValue("Loop must have at least 3 different vertices")
      }
      guard ring.first == ring.last else { throw .badValue("Loop is not closed") }
    }
    return GeoPolygon(rings)
  }

  /// The corners of lines and polygons, and the points.
  private var corners: [SphereVector] {
    points + lines.flatMap(\.self) + polygons.flatMap { $0.rings.flatMap(\.vertices) }
  }

  private var edges: [(SphereVector, SphereVector)] {
    lines.flatMap { line in line.indices.dropLast().map { (line[$0], line[$0 + 1]) } }
      + polygons.flatMap(\.edges)
  }

  /// Whether all of the shape is in one of the polygons of another one.
  func isWithin(_ region: GeoShape) -> Bool {
    let pieces =
      points.map { GeoShape(points: [$0]) } + lines.map { GeoShape(lines: [$0]) }
      + polygons.map { GeoShape(polygons: [$0]) }
    return !pieces.isEmpty && pieces.allSatisfy { piece in region.polygons.contains { piece.isWithin($0) } }
  }

  private init(points: [SphereVector] = [], lines: [[SphereVector]] = [], polygons: [GeoPolygon] = []) {
    (self.points, self.lines, self.polygons) = (points, lines, polygons)
  }

  private func isWithin(_ polygon: GeoPolygon) -> Bool {
    guard corners.allSatisfy(polygon.contains) else { return false }
    for edge in edges {
      for other in polygon.edges where SphereVector.cross(edge, other) { return false }
      // Both ends may be on the border, with all of the edge outside.
      if let middle = (edge.0 + edge.1).unit, !polygon.contains(middle) { return false }
    }
    // A hole of the region inside of the shape is no part of the region.
    let holes = polygon.rings.dropFirst().compactMap(\.vertices.first)
    return !polygons.contains { own in holes.contains { own.contains($0) && !own.isCorner($0) } }
  }

  /// Whether all of the shape is within an angle of a point.
  func isWithin(_ angle: Double, of center: SphereVector) -> Bool {
    !corners.isEmpty && corners.allSatisfy { $0.angle(to: center) <= angle }
  }

  /// Whether the shapes have a point in common.
  func intersects(_ other: GeoShape) -> Bool {
    if polygons.contains(where: { other.corners.contains(where: $0.contains) }) { return true }
    if other.polygons.contains(where: { corners.contains(where: $0.contains) }) { return true }
    for edge in edges {
      if other.corners.contains(where: { $0.angle(toArc: edge.0, edge.1) < Self.tolerance }) { return true }
      for second in other.edges where SphereVector.cross(edge, second) { return true }
    }
    for edge in other.edges
    where corners.contains(where: { $0.angle(toArc: edge.0, edge.1) < Self.tolerance }) {
      return true
    }
    return points.contains { point in other.points.contains { point.angle(to: $0) < Self.tolerance } }
  }

  /// The least angle between a point and the shape, in radians; nil: there is nothing in it.
  func angle(to point: SphereVector) -> Double? {
    if polygons.contains(where: { $0.contains(point) }) { return 0 }
    let toEdges = edges.map { point.angle(toArc: $0.0, $0.1) }
    return (points.map { point.angle(to: $0) } + toEdges).min()
  }
}
