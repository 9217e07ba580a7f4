import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"City","primaryKey":"name","properties":{
    "name":"string","population":{"type":"int","indexed":true},"area":"double?","rank":"float?","price":"decimal128?",
    "country":"Country","twins":"City[]","tags":"string<>","names":"string{}","founded":"date?","home":"bool",
    "nick":"string?"}},
   {"name":"Country","primaryKey":"code","properties":{"code":"string","continent":"string?",
    "cities":{"type":"linkingObjects","objectType":"City","property":"country"}}}]
  """

private let objects = [
  ("Country", #"{"code":"JP","continent":"AS"}"#), ("Country", #"{"code":"DE","continent":"EU"}"#),
  ("Country", #"{"code":"XX"}"#),
  (
    "City",
    #"{"name":"Tokyo","population":9,"area":1.5,"rank":0.1,"price":"1.10","country":"JP","tags":["big","Capital"],"names":{"de":"Tokio","ja":"東京"},"founded":"1603-01-01T00:00:00Z","home":true,"nick":"Edo"}"#
  ),
  (
    "City",
    #"{"name":"Berlin","population":4,"area":{"$numberDouble":"NaN"},"price":"1.1","country":"DE","twins":["Tokyo"],"tags":["Capital"],"names":{"de":"Berlin"},"home":false,"nick":"100%"}"#
  ),
  (
    "City",
    #"{"name":"Köln","population":1,"country":"DE","twins":["Tokyo","Berlin"],"tags":["old"],"home":false,"nick":""}"#
  ),
  ("City", #"{"name":"Atlantis","population":0,"area":-0.5,"rank":2,"price":"-3E+2","home":true}"#),
  (
    "City",
    #"{"name":"Nowhere","population":-1,"area":{"$numberDouble":"-Infinity"},"country":"XX","founded":"2020-01-01T00:00:00.000000001Z","home":true}"#
  ),
]

private func filled() async throws -> TemporaryStore {
  let store = try await TemporaryStore(schema)
  for (type, json) in objects.prefix(4) { try await store.create(type, json) }
  for (type, json) in objects.dropFirst(4) { try await store.create(type, json) }
  return store
}

/// The names of the cities that match, in order.
private func names(_ store: TemporaryStore, _ filter: String, sort: String? = nil) throws -> [String] {
  try store.page("City", QueryRequest(filter: filter, sort: sort, selection: FieldSelection(fields: "name")))
    .objects.map {
      String($0.dropFirst(#"{"name":""#.utf8.count).dropLast(2))
    }
}

@Test(arguments: [
  ("population > 3", ["Tokyo", "Berlin"]),
  ("population BETWEEN {0, 4}", ["Berlin", "Köln", "Atlantis"]),
  ("population IN {9, 1, 77}", ["Tokyo", "Köln"]),
  ("NOT population IN {9, 1, 77}", ["Berlin", "Atlantis", "Nowhere"]),
  ("name BEGINSWITH 'B' OR name ENDSWITH 'öln'", ["Berlin", "Köln"]),
  ("name CONTAINS[c] 'KÖ'", ["Köln"]),
  ("name LIKE '?o*o'", ["Tokyo"]),
  ("nick LIKE '*%'", ["Berlin"]),
  ("nick CONTAINS ''", ["Tokyo", "Berlin", "Köln"]),
  ("nick == null", ["Atlantis", "Nowhere"]),
  ("nick != 'Edo'", ["Berlin", "Köln", "Atlantis", "Nowhere"]),
  ("NOT nick == 'Edo'", ["Berlin", "Köln", "Atlantis", "Nowhere"]),
  ("country.code == 'DE'", ["Berlin", "Köln"]),
  ("NOT country.code == 'DE'", ["Tokyo", "Atlantis", "Nowhere"]),
  ("country.continent == null", ["Atlantis", "Nowhere"]),
  ("country == null", ["Atlantis"]),
  ("country == obj('Country', 'JP')", ["Tokyo"]),
  ("country != obj('Country', 'JP')", ["Berlin", "Köln", "Atlantis", "Nowhere"]),
  ("ANY tags == 'Capital'", ["Tokyo", "Berlin"]),
  ("ALL tags == 'Capital'", ["Berlin", "Atlantis", "Nowhere"]),
  ("NONE tags == 'Capital'", ["Köln", "Atlantis", "Nowhere"]),
  ("ANY names.@keys == 'ja'", ["Tokyo"]),
  ("names['de'] == 'Tokio'", ["Tokyo"]),
  ("ANY twins.name == 'Berlin'", ["Köln"]),
  ("ANY twins.country.code == 'JP'", ["Berlin", "Köln"]),
  ("twins.@count > 1", ["Köln"]),
  ("ANY country.cities.name == 'Köln'", ["Berlin", "Köln"]),
  ("country.cities.@count == 2", ["Berlin", "Köln"]),
  ("area > 1", ["Tokyo"]),
  ("area < 0.0", ["Atlantis", "Nowhere"]),
  ("area < 0", ["Berlin", "Atlantis", "Nowhere"]),
  ("area != 1.5", ["Berlin", "Köln", "Atlantis", "Nowhere"]),
  ("rank == 0.1", ["Tokyo"]),
  ("price == 1.1", ["Tokyo", "Berlin"]),
  ("price < 0", ["Atlantis"]),
  ("founded > 2020-01-01@00:00:00", ["Nowhere"]),
  ("founded < 1970-01-01@00:00:00", ["Tokyo"]),
  ("home == true", ["Tokyo", "Atlantis", "Nowhere"]),
  ("population + 1 == 5", ["Berlin"]),
  ("SUBQUERY(twins, $t, $t.population > 3).@count == 2", ["Köln"]),
  ("population > 0 SORT(population ASC) LIMIT(2)", ["Köln", "Berlin"]),
  ("TRUEPREDICATE SORT(area DESC)", ["Tokyo", "Atlantis", "Nowhere", "Berlin", "Köln"]),
  ("TRUEPREDICATE SORT(price ASC)", ["Köln", "Nowhere", "Atlantis", "Tokyo", "Berlin"]),
  ("TRUEPREDICATE SORT(country.code ASC)", ["Berlin", "Köln", "Tokyo", "Nowhere", "Atlantis"]),
  ("TRUEPREDICATE SORT(population DESC) DISTINCT(home)", ["Tokyo", "Berlin"]),
])
func `a filter finds what it should`(filter: String, expected: [String]) async throws {
  #expect(try names(try await filled(), filter) == expected)
}

@Test func `pages follow each other whatever they are sorted by`() async throws {
  let store = try await filled()
  for sort in [
    nil, "area", "-area", "country.code,-name", "-country.continent", "price", "founded,home", "-nick",
  ] {
    for size in 1...5 {
      var request = QueryRequest(sort: sort, selection: FieldSelection(fields: "name"))
      let all = try store.page("City", request).objects
      #expect(all.count == 5)
      request.limit = size
      var paged: [String] = []
      var cursor: Cursor?
      repeat {
        let page = try store.page("City", request, cursor)
        #expect(page.objects.count <= size)
        paged += page.objects
        cursor = page.next
      } while cursor != nil
      #expect(paged == all, "sort \(sort ?? "none"), pages of \(size)")
    }
  }
}

@Test func `a count leaves the page aside`() async throws {
  let store = try await filled()
  #expect(try store.count("City", QueryRequest(filter: "population > 0", limit: 1)) == 3)
  #expect(try store.count("City", QueryRequest(filter: "population > 0 LIMIT(2)")) == 2)
}

@Test func `fields and expansions shape the objects`() async throws {
  let store = try await filled()
  let page = try store.page(
    "City",
    QueryRequest(filter: "name == 'Köln'", selection: FieldSelection(fields: "name,country.code,twins")))
  #expect(page.objects == [#"{"name":"Köln","country":{"code":"DE"},"twins":["Tokyo","Berlin"]}"#])
  let expanded = try store.page(
    "Country", QueryRequest(filter: "code == 'JP'", selection: FieldSelection(fields: "code,cities.name")))
  #expect(expanded.objects == [#"{"code":"JP","cities":[{"name":"Tokyo"}]}"#])
}
