import GatehouseBSON
import GatehouseDocuments
import Testing

/// Shapes on the sphere and on the plane. Places and sentences are those of MongoDB's manual.
struct GeoTests {
  private static let places = #"""
    [{"_id":1,"location":{"type":"Point","coordinates":[-73.97,40.77]},"name":"Central Park","category":"Parks"},
     {"_id":2,"location":{"type":"Point","coordinates":[-73.9928,40.7193]},"name":"Sara D. Roosevelt Park","category":"Parks"},
     {"_id":3,"location":{"type":"Point","coordinates":[-73.9375,40.8303]},"name":"Polo Grounds","category":"Stadiums"}]
    """#

  private static func found(_ filter: String, in input: String = places) throws -> [Value] {
    let query = try FindQuery(filter: try document(filter))
    let cursor = try query.run(over: DocumentList(try documents(input)), in: context())
    var ids: [Value] = []
    while let document = try cursor.next() { ids.append(document["_id"] ?? .null) }
    return ids
  }

  /// Shapes of all kinds, and what is none.
  private static let shapes = #"""
    [{"_id":"pair","p":[1,1]},{"_id":"named","p":{"lng":1,"lat":1}},{"_id":"pairs","p":[[50,50],[2,2]]},
     {"_id":"point","p":{"type":"Point","coordinates":[4,4]}},
     {"_id":"line","p":{"type":"LineString","coordinates":[[1,1],[4,4]]}},
     {"_id":"long","p":{"type":"LineString","coordinates":[[1,1],[40,4]]}},
     {"_id":"square","p":{"type":"Polygon","coordinates":[[[2,2],[4,2],[4,4],[2,4],[2,2]]]}},
     {"_id":"many","p":{"type":"MultiPoint","coordinates":[[1,1],[40,40]]}},
     {"_id":"both","p":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,1]},{"type":"LineString","coordinates":[[1,2],[2,1]]}]}},
     {"_id":"far","p":{"type":"Point","coordinates":[-170,-80]}},
     {"_id":"list","p":[{"type":"Point","coordinates":[60,60]},{"type":"Point","coordinates":[3,3]}]},
     {"_id":"text","p":"x"},{"_id":"none"},{"_id":"wrong","p":{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}}]
    """#

  private static let region = #"{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]}"#
  private static let withHole =
    #"{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[3,3],[5,3],[5,5],[3,5],[3,3]]]}"#

  @Test(arguments: [
    (
      #"{"p":{"$geoWithin":{"$geometry":\#(region)}}}"#,
      #"["pair","named","pairs","point","line","square","both","list"]"#
    ),
    // A shape that is in the hole, or goes through it, or has it inside, is not within.
    (#"{"p":{"$geoWithin":{"$geometry":\#(withHole)}}}"#, #"["pair","named","pairs","both","list"]"#),
    (
      #"{"p":{"$geoIntersects":{"$geometry":\#(region)}}}"#,
      #"["pair","named","pairs","point","line","long","square","many","both","list"]"#
    ),
    (
      #"{"p":{"$geoIntersects":{"$geometry":\#(withHole)}}}"#,
      #"["pair","named","pairs","line","long","square","many","both","list"]"#
    ),
    (
      #"{"p":{"$geoIntersects":{"$geometry":{"type":"LineString","coordinates":[[3,0],[3,9]]}}}}"#,
      #"["line","long","square","list"]"#
    ),
    (
      #"{"p":{"$geoIntersects":{"$geometry":{"type":"Point","coordinates":[1,1]}}}}"#,
      #"["pair","named","line","long","many","both"]"#
    ),
    (
      #"{"p":{"$geoWithin":{"$geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1.5,0],[1.5,1.5],[0,0]]],[[[39,39],[41,39],[40,41],[39,39]]]]}}}}"#,
      #"["pair","named","many"]"#
    ),
    (#"{"p":{"$geoWithin":{"$centerSphere":[[0,0],0.05]}}}"#, #"["pair","named","pairs","both"]"#),
    (#"{"p":{"$geoWithin":{"$box":[[0,0],[3,3]]}}}"#, #"["pair","named","pairs","list"]"#),
    (#"{"p":{"$geoWithin":{"$box":[[4,4],[2,2]]}}}"#, #"["pairs","point","list"]"#),
    (#"{"p":{"$geoWithin":{"$polygon":[[0,0],[3,6],[6,0]]}}}"#, #"["pair","named","pairs","point","list"]"#),
    (#"{"p":{"$geoWithin":{"$center":[[1,1],1.5]}}}"#, #"["pair","named","pairs"]"#),
    (
      #"{"p":{"$not":{"$geoIntersects":{"$geometry":\#(region)}}}}"#, #"["far","text","none","wrong"]"#
    ),
  ])
  func `a filter finds the shapes of a region`(filter: String, ids: String) throws {
    try expectSame(.array(Self.found(filter, in: Self.shapes)), ids, filter)
  }

  /// A polygon's edges are great circles: between two places at 60° north the way goes further north.
  @Test func `an edge is a great circle`() throws {
    let places = #"[{"_id":1,"p":[0,60.5]},{"_id":2,"p":[0,66]},{"_id":3,"p":[0,68]}]"#
    let square = #"{"type":"Polygon","coordinates":[[[-40,50],[40,50],[40,60],[-40,60],[-40,50]]]}"#
    let filter = #"{"p":{"$geoWithin":{"$geometry":\#(square)}}}"#
    try expectSame(.array(Self.found(filter, in: places)), "[1,2]")
    let box = #"{"p":{"$geoWithin":{"$box":[[-40,50],[40,60]]}}}"#
    try expectSame(.array(Self.found(box, in: places)), "[]")
  }

  @Test func `a region may go over the meridian of 180 degrees, and over a pole`() throws {
    let places = #"[{"_id":1,"p":[179,1]},{"_id":2,"p":[-179,1]},{"_id":3,"p":[0,1]},{"_id":4,"p":[90,89]}]"#
    let across = #"{"type":"Polygon","coordinates":[[[178,0],[-178,0],[-178,2],[178,2],[178,0]]]}"#
    try expectSame(
      .array(Self.found(#"{"p":{"$geoWithin":{"$geometry":\#(across)}}}"#, in: places)), "[1,2]")
    let pole = #"{"type":"Polygon","coordinates":[[[0,80],[120,80],[-120,80],[0,80]]]}"#
    try expectSame(.array(Self.found(#"{"p":{"$geoWithin":{"$geometry":\#(pole)}}}"#, in: places)), "[4]")
  }

  private static let center = #"{"type":"Point","coordinates":[-73.9667,40.78]}"#

  @Test(arguments: [
    // The manual's example of $near: at least 1000 meters from the point, and at most 5000.
    (
      #"{"location":{"$near":{"$geometry":\#(center),"$minDistance":1000,"$maxDistance":5000}}}"#, "[1]"
    ),
    (#"{"location":{"$near":{"$geometry":\#(center)}}}"#, "[1,3,2]"),
    (#"{"location":{"$near":{"$geometry":\#(center),"$minDistance":5000,"$maxDistance":1000}}}"#, "[]"),
    (#"{"location":{"$nearSphere":{"$geometry":\#(center),"$maxDistance":7000}}}"#, "[1,3]"),
    (#"{"location":{"$nearSphere":[-73.9667,40.78],"$maxDistance":0.0011}}"#, "[1,3]"),
    (#"{"location":{"$near":[-73.9667,40.78],"$maxDistance":0.06}}"#, "[1,3]"),
    (#"{"$and":[{"category":"Parks"},{"location":{"$near":[-73.9667,40.78]}}]}"#, "[1,2]"),
  ])
  func `the nearest come first`(filter: String, ids: String) throws {
    try expectSame(.array(Self.found(filter)), ids, filter)
  }

  @Test func `a sort counts more than the distance, and a limit takes the nearest`() throws {
    let filter = try document(#"{"location":{"$near":{"$geometry":\#(Self.center)}}}"#)
    for (query, ids) in [
      (try FindQuery(filter: filter, sort: ["_id": .int32(-1)]), "[3,2,1]"),
      (try FindQuery(filter: filter, skip: 1, limit: 1), "[3]"),
    ] {
      let cursor = try query.run(over: DocumentList(try documents(Self.places)), in: context())
      var found: [Value] = []
      while let document = try cursor.next() { found.append(document["_id"] ?? .null) }
      try expectSame(.array(found), ids)
    }
  }

  // The manual's example of $geoNear; the distances are those of Python's haversine on a sphere of 6,378,100 m.
  @Test func `a stage tells distances`() throws {
    let stage = #"""
      [{"$geoNear":{"near":{"type":"Point","coordinates":[-73.99279,40.719296]},"distanceField":"dist.calculated","maxDistance":6000,
        "query":{"category":"Parks"},"includeLocs":"dist.location","spherical":true}},
       {"$project":{"name":1,"d":{"$round":["$dist.calculated",2]},"l":"$dist.location.coordinates"}}]
      """#
    try expectSame(
      aggregate(stage, over: Self.places),
      #"""
      [{"_id":2,"name":"Sara D. Roosevelt Park","d":0.95,"l":[-73.9928,40.7193]},
       {"_id":1,"name":"Central Park","d":5962.6,"l":[-73.97,40.77]}]
      """#)
    let planar =
      #"[{"$geoNear":{"near":[-73.99279,40.719296],"key":"location","distanceField":"d","distanceMultiplier":100}},{"$project":{"d":{"$round":["$d",3]}}}]"#
    try expectSame(
      aggregate(planar, over: Self.places), #"[{"_id":2,"d":0.001},{"_id":1,"d":5.559},{"_id":3,"d":12.401}]"#
    )
    let radians =
      #"[{"$geoNear":{"near":[-73.99279,40.719296],"spherical":true,"distanceField":"d","minDistance":0.0001}},{"$project":{"d":{"$round":["$d",6]}}}]"#
    try expectSame(
      aggregate(radians, over: Self.places), #"[{"_id":1,"d":0.000935},{"_id":3,"d":0.002071}]"#)
  }

  @Test func `the distance of a line is that of its nearest point`() throws {
    let roads = #"""
      [{"_id":1,"p":{"type":"LineString","coordinates":[[-10,1],[10,1]]}},{"_id":2,"p":{"type":"LineString","coordinates":[[-10,1],[-2,1]]}},
       {"_id":3,"p":{"type":"Polygon","coordinates":[[[-1,-1],[1,-1],[1,1],[-1,1],[-1,-1]]]}}]
      """#
    let stage = #"""
      [{"$geoNear":{"near":{"type":"Point","coordinates":[0,0]},"distanceField":"d","key":"p"}},{"$project":{"d":{"$round":["$d",-3]}}}]
      """#
    // A degree is 111.3 km; the great circle between 10° west and east bulges a little.
    try expectSame(
      aggregate(stage, over: roads), #"[{"_id":3,"d":0},{"_id":1,"d":113000},{"_id":2,"d":249000}]"#)
  }

  @Test(arguments: [
    #"{"p":{"$geoWithin":5}}"#, #"{"p":{"$geoWithin":{"$geometry":{"type":"Point","coordinates":[1,1]}}}}"#,
    #"{"p":{"$geoWithin":{"$circle":[[1,1],1]}}}"#, #"{"p":{"$geoWithin":{"$box":[[1,1]]}}}"#,
    #"{"p":{"$geoWithin":{"$center":[[1,1],-1]}}}"#, #"{"p":{"$geoWithin":{"$polygon":[[1,1],[2,2]]}}}"#,
    #"{"p":{"$geoWithin":{"$geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}}}}"#,
    #"{"p":{"$geoWithin":{"$geometry":{"type":"Polygon","coordinates":[[[0,0],[500,0],[1,1],[0,0]]]}}}}"#,
    #"{"p":{"$geoIntersects":{"$box":[[0,0],[1,1]]}}}"#,
    #"{"p":{"$geoIntersects":{"$geometry":{"type":"Circle","coordinates":[0,0]}}}}"#,
    #"{"p":{"$near":{"$geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}}}"#,
    #"{"p":{"$near":"x"}}"#, #"{"p":{"$near":[1,1],"$maxDistance":-1}}"#, #"{"p":{"$maxDistance":1}}"#,
    #"{"$or":[{"p":{"$near":[1,1]}},{"x":1}]}"#, #"{"p":{"$near":[1,1]},"q":{"$near":[1,1]}}"#,
    #"{"p":{"$not":{"$near":[1,1]}}}"#, #"{"p":{"$elemMatch":{"q":{"$near":[1,1]}}}}"#,
  ])
  func `what is no region or place is refused`(filter: String) throws {
    let found = error { _ = try Filter(document(filter)) }
    #expect(found?.code == .badValue, "\(filter): \(found?.message ?? "")")
  }

  @Test(arguments: [
    (#"[{"$match":{"p":{"$near":[1,1]}}}]"#, 5_626_500),
    (#"[{"$limit":1},{"$geoNear":{"near":[1,1]}}]"#, 40603),
    (#"[{"$geoNear":{"distanceField":"d"}}]"#, 5_860_400), (#"[{"$geoNear":{"near":[1,1],"x":1}}]"#, 40415),
  ])
  func `a stage that cannot be is refused`(pipeline: String, code: Int) throws {
    #expect(error { _ = try aggregate(pipeline, over: "[]") }?.code == .location(code))
  }
}
