import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// A changed object as an event feed holds it: its values in the order of the class.
private struct ChangedObject: ObjectView {
  let key: ObjectKey
  let values: [Mixed]

  func value(_ property: Int) -> Mixed { values[property] }
  func elements(_ property: Int) -> [Mixed] { [] }
  func keys(_ property: Int) -> [String] { [] }
  func object(_ link: ObjectLink) -> ChangedObject? { nil }
  func linkingObjects(_ objectType: String, _ property: Int) -> [ChangedObject] { [] }
  func value(named name: String) -> Mixed? { nil }
  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? { nil }
}

/// Measures a filter before it reaches the store, and on an object that has changed.
///
/// Plans one filter alone, counted from 0, so many times: for a profiler, whose count no other process disturbs.
func measureLanguage(only number: Int? = nil, times: Int = 0) throws {
  let schema = try Schema(
    notation: Value(
      json: """
        [{"name":"Country","primaryKey":"iso","properties":{"iso":"string","name":"string"}},
         {"name":"City","primaryKey":"_id","properties":{"_id":"int","name":{"type":"string","indexed":true},
          "country":"Country?","admin1":"string?","population":{"type":"int","indexed":true},"timezone":"string",
          "alternateNames":"string<>"}}]
        """))
  let filters = [
    #"population > 100000"#,
    #"population > 100000 AND name BEGINSWITH "B" AND timezone == "Europe/Berlin""#,
    #"population > 100000 AND country.iso == "DE" AND name BEGINSWITH "B""#,
    #"population BETWEEN {1000, 2000} AND NOT (name CONTAINS[c] 'x' OR ANY alternateNames == 'y')"#,
  ]
  if let number {
    for _ in 0..<times {
      _ = try Plan(request: QueryRequest(filter: filters[number]), schema: schema, objectType: "City")
    }
    return
  }
  row(("", -62), ("ns", 8))
  for filter in filters {
    let request = QueryRequest(filter: filter)
    let spent = time(100) { _ = try? Plan(request: request, schema: schema, objectType: "City") }
    row(("parse, bind, plan: " + filter, -62), (shown(spent), 8))
    var cache = PlanCache()
    let cached = time(1_000) { _ = try? cache.plan(for: request, objectType: "City", in: schema) }
    row(("  from the cache of plans", -62), (shown(cached), 8))
  }
  let city = ChangedObject(
    key: ObjectKey(7),
    values: [
      .int(7), .string("Berlin"), .null, .string("16"), .int(3_426_354), .string("Europe/Berlin"), .null,
    ])
  for filter in [
    #"population > 100000 AND timezone == "Europe/Berlin""#, #"population > 100000 AND name BEGINSWITH "Ber""#,
    #"population < 100 OR admin1 == "16""#,
  ] {
    let plan = try Plan(request: QueryRequest(filter: filter), schema: schema, objectType: "City")
    var matches = 0
    let spent = time(5_000) { if plan.predicate.matches(city) { matches += 1 } }
    row(("evaluate: " + filter + (matches > 0 ? "" : " (no match)"), -62), (shown(spent), 8))
  }
}
