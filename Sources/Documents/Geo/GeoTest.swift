import GatehouseBSON
import GatehouseQuery

/// The operand of `$geoWithin` and `$geoIntersects`.
enum GeoRegion: Sendable {
  /// Within the polygons of a shape.
  case within(GeoShape)
  case intersecting(GeoShape)
  /// Radians around a point of the sphere.
  case cap(SphereVector, Double)
  // On a plane.
  case box(GeoPoint, GeoPoint)
  case polygon([GeoPoint])
  case circle(GeoPoint, Double)

  /// Reads the operand of `$geoWithin`.
  init(within value: Value, _ name: String) throws(DocumentsError) {
    guard let document = value.asDocument, document.elements.count == 1, let element = document.elements.first
    else {
      throw .badValue("\(name) must be an object with one shape")
    }
    switch element.key {
    case "$geometry":
      let shape = try GeoRegion.geometry(element.value)
      guard !shape.polygons.isEmpty, shape.points.isEmpty, shape.lines.isEmpty else {
        throw .badValue("\(name) not supported with provided geometry: it must be a Polygon or MultiPolygon")
      }
      self = .within(shape)
    case "$box":
      let corners = try GeoRegion.points(element.value, "$box")
      guard corners.count == 2 else { throw .badValue("$box needs two corners") }
      self = .box(corners[0], corners[1])
    case "$polygon":
      let corners = try GeoRegion.points(element.value, "$polygon")
      guard corners.count >= 3 else { throw .badValue("Polygon must have at least 3 points") }
      self = .polygon(corners)
    case "$center", "$centerSphere":
      guard case .array(let values) = element.value, values.count == 2, let center = GeoPoint(pair: values[0])
      else { throw .badValue("\(element.key) needs a point and a radius") }
      guard let radius = values[1].asDouble, radius >= 0 else {
        throw .badValue("radius must be a non-negative number")
      }
      if element.key == "$center" {
        self = .circle(center, radius)
      } else {
        guard center.isOnSphere else {
          throw .badValue("Spherical distance would require wrapping: the center is out of bounds")
        }
        self = .cap(center.vector, radius)
      }
    default: throw .badValue("unknown geo specifier: \(element.key)")
    }
  }

  /// Reads the operand of `$geoIntersects`.
  init(intersecting value: Value) throws(DocumentsError) {
    guard let document = value.asDocument, document.elements.count == 1, let geometry = document["$geometry"]
    else {
      throw .badValue("$geoIntersects needs a $geometry")
    }
    self = .intersecting(try GeoRegion.geometry(geometry))
  }

  static func geometry(_ value: Value) throws(DocumentsError) -> GeoShape {
    guard let document = value.asDocument else { throw .badValue("$geometry must be an object") }
    return try GeoShape(geoJSON: document)
  }

  private static func points(_ value: Value, _ name: String) throws(DocumentsError) -> [GeoPoint] {
    let values: [Value]
    switch value {
    case .array(let elements): values = elements
    case .document(let document): values = document.elements.map(\.value)
    default: throw .badValue("\(name) needs an array of points")
    }
    return try values.mapped { value throws(DocumentsError) in
      guard let point = GeoPoint(pair: value) else { throw .badValue("Point must be an array or object") }
      return point
    }
  }

  func holds(for value: Value?) -> Bool {
    switch self {
    case .within(let region): return GeoShape(value)?.isWithin(region) ?? false
    case .intersecting(let other): return GeoShape(value)?.intersects(other) ?? false
    case .cap(let center, let angle): return GeoShape(value)?.isWithin(angle, of: center) ?? false
    case .box(let first, let second):
      guard let point = GeoRegion.planarPoint(value) else { return false }
      return min(first.x, second.x) <= point.x && point.x <= max(first.x, second.x)
        && min(first.y, second.y) <= point.y && point.y <= max(first.y, second.y)
    case .polygon(let ring):
      guard let point = GeoRegion.planarPoint(value) else { return false }
      return PlanarPolygon.contains(point, ring: ring)
    case .circle(let center, let radius):
      guard let point = GeoRegion.planarPoint(value) else { return false }
      return point.planarDistance(to: center) <= radius
    }
  }

  /// The point of a value, whatever its numbers mean.
  static func planarPoint(_ value: Value?) -> GeoPoint? {
    if case .document(let document)? = value, document["type"] == .string("Point") {
      return GeoPoint(pair: document["coordinates"])
    }
    return GeoPoint(pair: value)
  }
}

/// The operand of `$near`, `$nearSphere` and `$geoNear`: distances from a point.
struct GeoNear: Sendable {
  /// The unit of distances.
  enum Measure: Sendable {
    /// Meters on the sphere.
    case meters
    /// Radians on the sphere.
    case radians
    /// The unit of the coordinates.
    case planar
  }

  let point: GeoPoint
  let measure: Measure
  let least: Double
  let most: Double

  init(_ point: GeoPoint, _ measure: Measure, least: Value?, most: Value?) throws(DocumentsError) {
    (self.point, self.measure) = (point, measure)
    if measure != .planar, !point.isOnSphere {
      throw .badValue("invalid point in geo near query: it is out of bounds")
    }
    self.least = try GeoNear.distance(least, "$minDistance") ?? 0
    self.most = try GeoNear.distance(most, "$maxDistance") ?? .infinity
  }

  /// Reads the operand of `$near` or `$nearSphere`; legacy ones have their distances beside them.
  init(_ name: String, _ value: Value, beside document: Document) throws(DocumentsError) {
    if let members = value.asDocument, let geometry = members["$geometry"] {
      for element in members.elements
      where !["$geometry", "$minDistance", "$maxDistance"].contains(element.key) {
        throw .badValue("invalid argument in geo near query: \(element.key)")
      }
      guard let point = try GeoRegion.geometry(geometry).single else {
        throw .badValue("invalid point in geo near query $geometry argument")
      }
      try self.init(point, .meters, least: members["$minDistance"], most: members["$maxDistance"])
      return
    }
    guard let point = GeoPoint(pair: value) else {
      throw .badValue("invalid argument in geo near query: no point")
    }
    let pair = value.asDocument ?? document
    try self.init(
      point, name == "$near" ? .planar : .radians, least: document["$minDistance"] ?? pair["$minDistance"],
      most: document["$maxDistance"] ?? pair["$maxDistance"])
  }

  private static func distance(_ value: Value?, _ name: String) throws(DocumentsError) -> Double? {
    guard let value else { return nil }
    guard let distance = value.asDouble, distance >= 0 else {
      throw .badValue("\(name) must be a non-negative number")
    }
    return distance
  }

  /// The distance of a value; nil: it is no shape, or too near or too far.
  func distance(to value: Value?) -> Double? {
    let distance: Double?
    switch measure {
    case .planar: distance = GeoRegion.planarPoint(value)?.planarDistance(to: point)
    case .radians: distance = GeoShape(value)?.angle(to: point.vector)
    case .meters: distance = GeoShape(value)?.angle(to: point.vector).map { $0 * GeoPoint.earthRadius }
    }
    return distance.flatMap { least <= $0 && $0 <= most ? $0 : nil }
  }

  /// The least distance of the values at a path, through arrays, and the value that has it.
  func nearest(in document: Document, at path: [String]) -> (distance: Double, value: Value)? {
    var found: (distance: Double, value: Value)?
    func visit(_ value: Value?, _ index: Int) {
      guard let value else { return }
      if index == path.count {
        if let distance = distance(to: value) {
          if found.map({ distance < $0.distance }) ?? true { found = (distance, value) }
        } else if case .array(let elements) = value {
          for element in elements where element.asArray != nil || element.asDocument != nil {
            guard let distance = distance(to: element), found.map({ distance < $0.distance }) ?? true else {
              continue
            }
            found = (distance, element)
          }
        }
        return
      }
      switch value {
      case .document(let inner): visit(inner[path[index]], index + 1)
      case .array(let elements):
        for case .document(let inner) in elements { visit(inner[path[index]], index + 1) }
      default: break
      }
    }
    visit(document[path[0]], 1)
    return found
  }
}
