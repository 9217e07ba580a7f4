import GatehouseBSON

/// `$geoNear`, and the order of a `find` by `$near`: the documents by their distance from a point, the nearest first.
struct GeoNearStage: Sendable {
  let near: GeoNear
  /// The path of the shapes; nil: the first field of each document that is one.
  var path: [String]?
  var query = Filter.everything
  /// The fields that get the distance and the shape; nil: none does.
  var distancePath: [String]?
  var shapePath: [String]?
  /// The distances are told in its multiples.
  var multiplier = 1.0

  init(_ near: GeoNear, path: [String]?) { (self.near, self.path) = (near, path) }

  init(_ document: Document, variables: Set<String>) throws(DocumentsError) {
    let known = [
      "near", "distanceField", "spherical", "maxDistance", "minDistance", "query", "includeLocs",
      "distanceMultiplier", "key",
    ]
    for element in document.elements where !known.contains(element.key) {
      throw .at(40415, "BSON field '$geoNear.\(element.key)' is an unknown field.")
    }
    guard let point = document["near"] else { throw .at(5_860_400, "$geoNear requires a 'near' argument") }
    if let geometry = point.asDocument, geometry["type"] != nil {
      guard let single = try GeoRegion.geometry(point).single else {
        throw .badValue("invalid argument in geo near query: 'near' is no point")
      }
      near = try GeoNear(single, .meters, least: document["minDistance"], most: document["maxDistance"])
    } else {
      guard let pair = GeoPoint(pair: point) else {
        throw .badValue("invalid argument in geo near query: 'near' is no point")
      }
      near = try GeoNear(
        pair, document["spherical"].isTrue ? .radians : .planar, least: document["minDistance"],
        most: document["maxDistance"])
    }
    path = try GeoNearStage.path(document["key"], "key")
    distancePath = try GeoNearStage.path(document["distanceField"], "distanceField")
    shapePath = try GeoNearStage.path(document["includeLocs"], "includeLocs")
    if let value = document["query"] {
      guard let filter = value.asDocument else { throw .typeMismatch("$geoNear's 'query' must be an object") }
      query = try Filter(filter, variables: variables)
      if query.near != nil { throw .badValue("$near is not allowed in the 'query' of $geoNear") }
    }
    if let value = document["distanceMultiplier"] {
      guard let multiplier = value.asDouble, multiplier >= 0 else {
        throw .badValue("$geoNear's 'distanceMultiplier' must be a non-negative number")
      }
      self.multiplier = multiplier
    }
  }

  private static func path(_ value: Value?, _ name: String) throws(DocumentsError) -> [String]? {
    guard let value else { return nil }
    guard case .string(let text) = value else { throw .typeMismatch("$geoNear's '\(name)' must be a string") }
    return try FieldPath(expression: text).components
  }

  func documents(of input: any DocumentCursor, in context: PipelineContext) throws(DocumentsError)
    -> [Document]
  {
    var found: [(distance: Double, document: Document)] = []
    while let document = try input.next() {
      try context.budget.step()
      guard try query.matches(document, in: context.scope),
        let path = path ?? GeoNearStage.shapePath(of: document, isPlanar: near.measure == .planar),
        let nearest = near.nearest(in: document, at: path)
      else { continue }
      try context.budget.charge(document.memory)
      var result = document
      if let distancePath {
        let value = Value.double(nearest.distance * multiplier)
        result = Lookup.setting(value, at: distancePath[...], of: result)
      }
      if let shapePath { result = Lookup.setting(nearest.value, at: shapePath[...], of: result) }
      found.append((nearest.distance, result))
    }
    // Equal ones stay in the order in which they came.
    return found.enumerated().sorted {
      $0.element.distance != $1.element.distance
        ? $0.element.distance < $1.element.distance : $0.offset < $1.offset
    }.map(\.element.document)
  }

  /// The first field that has GeoJSON, or else a pair of coordinates: there are no indexes here that would name it.
  private static func shapePath(of document: Document, isPlanar: Bool) -> [String]? {
    let geoJSON = document.elements.first { element in
      guard case .document(let value) = element.value, case .string? = value["type"] else { return false }
      return value["coordinates"] != nil && GeoShape(element.value) != nil
    }
    let found =
      geoJSON
      ?? document.elements.first { element in
        isPlanar ? GeoPoint(pair: element.value) != nil : GeoShape(element.value) != nil
      }
    return found.map { [$0.key] }
  }
}
