import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Aggregates, sections and explanations of results.
@Suite struct ResultTests {
  private static let schema = """
    [{"name": "City", "primaryKey": "name", "properties": {
       "name": "string", "population": {"type": "int?", "indexed": true}, "area": "double?", "tags": "string[]",
       "founded": "date?", "country": "Country"}},
     {"name": "Country", "primaryKey": "code", "properties": {
       "code": "string", "wealth": "decimal128?", "cities": {
         "type": "linkingObjects", "objectType": "City", "property": "country"}}}]
    """

  private func store() async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema)
    try await store.create("Country", #"{"code": "JP", "wealth": "1.5"}"#)
    try await store.create("Country", #"{"code": "FR", "wealth": "0.50"}"#)
    for (name, population, area, country) in [
      ("Tokyo", "9", "2.5", "JP"), ("Osaka", "3", "0.5", "JP"), ("Paris", "2", "null", "FR"),
      ("Pau", "null", "1", "FR"),
    ] {
      let json =
        #"{"name": "\#(name)", "population": \#(population), "area": \#(area), "country": "\#(country)"}"#
      try await store.create("City", json)
    }
    return store
  }

  @Test(
    arguments: [
      ("", "@count", [.int(4)]),
      ("population > 2", "@count,population.@sum", [.int(2), .int(12)]),
      ("", "population.@min,population.@max,population.@avg", [.int(2), .int(9), .double(14.0 / 3)]),
      ("", "area.@sum,area.@avg", [.double(4), .double(4.0 / 3)]),
      ("", "country.wealth.@sum", [.decimal128(Decimal128("4.00") ?? .zero)]),
      ("name == 'nowhere'", "population.@sum,population.@min,area.@avg", [.int(0), .null, .null]),
      ("TRUEPREDICATE SORT(population DESC) LIMIT(2)", "population.@sum", [.int(12)]),
      ("", "founded.@max", [.null]),
    ] as [(String, String, [Mixed])])
  func `aggregates are computed over the whole result`(filter: String, text: String, expected: [Mixed])
    async throws
  {
    let store = try await store()
    let aggregates = try Aggregate.list(text, objectType: "City", schema: store.store.schema)
    #expect(aggregates.map(\.text) == text.split(separator: ",").map(String.init))
    let request = QueryRequest(filter: filter.isEmpty ? nil : filter)
    let plan = try Plan(request: request, schema: store.store.schema, objectType: "City")
    #expect(try store.reading.aggregate(plan, aggregates) == expected)
  }

  @Test func `aggregates go through links to many`() async throws {
    let store = try await store()
    let aggregates = try Aggregate.list(
      "cities.population.@sum", objectType: "Country", schema: store.store.schema)
    let plan = try Plan(request: QueryRequest(), schema: store.store.schema, objectType: "Country")
    #expect(try store.reading.aggregate(plan, aggregates) == [.int(14)])
  }

  @Test(arguments: ["name.@sum", "population", "nosuch.@sum", "@count,", "population.@sum x"])
  func `a wrong aggregate is refused`(text: String) async throws {
    let store = try await TemporaryStore(Self.schema)
    #expect(throws: QueryError.self) {
      try Aggregate.list(text, objectType: "City", schema: store.store.schema)
    }
  }

  @Test(
    arguments: [
      (
        "firstLetter(name)", "-population",
        [(#""T""#, ["Tokyo"]), (#""O""#, ["Osaka"]), (#""P""#, ["Paris", "Pau"])]
      ),
      ("country.code", "name", [(#""JP""#, ["Osaka", "Tokyo"]), (#""FR""#, ["Paris", "Pau"])]),
    ] as [(String, String, [(String, [String])])])
  func `sections come in the order of the sorted result`(
    text: String, sort: String, expected: [(String, [String])]
  ) async throws {
    let store = try await store()
    let key = try SectionKey(text, objectType: "City", schema: store.store.schema)
    let plan = try Plan(
      request: QueryRequest(sort: sort, selection: FieldSelection(fields: "name")),
      schema: store.store.schema, objectType: "City")
    var bytes: [UInt8] = []
    let page = try store.reading.sections(plan, by: key, as: .json, framing: .sequence, into: &bytes)
    let lines = expected.map { key, names in
      let objects = names.map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
      return #"{"key":\#(key),"count":\#(names.count),"objects":[\#(objects)]}"# + "\n"
    }
    #expect(String(decoding: bytes, as: UTF8.self) == lines.joined())
    #expect(page.count == 4 && page.next == nil)
  }

  /// Sections whose objects lie apart in the result, so that a page of them is put together from all over it.
  @Test func `pages of sections, of any size, are the whole`() async throws {
    let store = try await store()
    let creations = try (0..<60).map { number in
      try store.creation(
        "City",
        #"{"name":"\#(number * 37 % 101)","population":\#(100 + number),"area":\#(number * number % 7)}"#)
    }
    _ = try await store.store.perform(Transaction(creations))
    let key = try SectionKey("area", objectType: "City", schema: store.store.schema)
    var plan = try Plan(
      request: QueryRequest(
        filter: "population >= 100", sort: "name", selection: FieldSelection(fields: "name,area")),
      schema: store.store.schema, objectType: "City")
    func pages(_ size: Int?) throws -> [String: [String]] {
      var sections: [String: [String]] = [:]
      var order: [String] = []
      plan.cursor = nil
      plan.pageSize = size
      repeat {
        var bytes: [UInt8] = []
        let page = try store.reading.sections(plan, by: key, as: .json, framing: .array, into: &bytes)
        #expect(size == nil || page.next == nil || page.count == size)
        for case .document(let section) in try items(Value(json: String(decoding: bytes, as: UTF8.self))) {
          let name = "\(section["key"] ?? .null)"
          if order.last != name { order.append(name) }
          sections[name, default: []] += items(section["objects"] ?? .null).map { "\($0)" }
        }
        plan.cursor = page.next
      } while plan.cursor != nil
      #expect(Set(order).count == order.count)
      sections["order"] = order
      return sections
    }
    let whole = try pages(nil)
    #expect(whole.values.reduce(0) { $0 + $1.count } == 60 + whole.count - 1)
    for size in [1, 2, 3, 7, 8, 20, 59, 60, 61] { #expect(try pages(size) == whole) }
  }

  private func items(_ value: Value) -> [Value] {
    if case .array(let items) = value { items } else { [] }
  }

  @Test(
    arguments: [
      (
        "population > 5 SORT(population DESC)", "SEARCH t USING INDEX City.population#index (population>?)",
        nil
      ),
      ("name BEGINSWITH 'T'", "SEARCH t USING INDEX City.name#index (name>? AND name<?)", nil),
      ("population IN {1, 2}", "SEARCH t USING INDEX City.population#index (population=?)", nil),
      (
        "population == 1 OR population == 2", "SEARCH t USING INDEX City.population#index (population=?)", nil
      ),
      ("country.code == 'JP'", "SEARCH t USING INDEX City.country#index (country=?)", nil),
      ("country == obj('Country', 'JP')", "SEARCH t USING INDEX City.country#index (country=?)", nil),
      (
        "tags LIKE '*a' AND population == 1", "SEARCH t USING INDEX City.population#index (population=?)", nil
      ),
      (
        "SUBQUERY(country.cities, $x, $x.area > 1).@count > 1 + population", "SCAN t",
        "SUBQUERY(country.@links.City.country, $x, area > 1).@count > (1 + population)"
      ),
    ] as [(String, String, String?)])
  func `an explanation tells indexes and what is left to memory`(
    filter: String, step: String, residual: String?
  ) async throws {
    let store = try await store()
    let plan = try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "City")
    let explanation = try store.reading.explain(plan)
    #expect(explanation.steps.contains(step), "\(explanation)")
    #expect(explanation.inMemory == (residual.map { [$0] } ?? []))
  }
}
