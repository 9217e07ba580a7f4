import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// How objects are found: SQLite's own words for it, of a store that is filled once.
@Suite struct AccessTests {
  private static let schema = """
    [{"name":"Continent","primaryKey":"code","properties":{"code":"string"}},
     {"name":"Country","primaryKey":"code","properties":{"code":"string","continent":"Continent?"}},
     {"name":"City","primaryKey":"id","properties":{"id":"int","name":{"type":"string","indexed":true},
      "population":{"type":"int","indexed":true},"kind":{"type":"string","indexed":true},"country":"Country?",
      "area":"double","text":{"type":"string","indexed":"full-text"},"tags":"string[]","names":"string{}",
      "twins":"City[]"},
      "indexes":[{"properties":["country","-population"]},{"properties":["name.@folded"]},
       {"properties":["tags"]},{"properties":["names"]},{"properties":["area"]}]}]
    """

  private func filled() async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema)
    var operations = try ["AS", "EU"].map { try store.creation("Continent", #"{"code":"\#($0)"}"#) }
    for country in 0..<50 {
      let json = #"{"code":"C\#(country)","continent":"\#(country < 5 ? "AS" : "EU")"}"#
      operations.append(try store.creation("Country", json))
    }
    for id in 0..<5_000 {
      let json = """
        {"id":\(id),"name":"Name \(id)","population":\(id * 10),"kind":"\(id % 100 == 0 ? "rare" : "common")",
         "country":"C\(id % 50)","area":\(id).5,"text":"city number\(id)","tags":["t\(id % 500)","all"],
         "names":{"en":"E\(id)"},"twins":[\((id + 1) % 5_000)]}
        """
      operations.append(try store.creation("City", json))
    }
    _ = try await store.store.perform(Transaction(operations))
    return store
  }

  private func explanation(_ store: TemporaryStore, _ filter: String, _ sort: String? = nil) throws
    -> Explanation
  {
    var plan = try Plan(
      request: QueryRequest(filter: filter, sort: sort), schema: store.store.schema, objectType: "City")
    plan.pageSize = 20
    return try store.reading.explain(plan)
  }

  private static let ways: [(filter: String, sort: String?, steps: [String])] = [
    ("id != 5", nil, ["SCAN t"]),
    ("population > 100", nil, ["SCAN t"]),
    (
      "population > 49900", nil,
      ["SEARCH t USING INDEX City.population#index (population>?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    (
      "population BETWEEN {100, 150}", nil,
      [
        "SEARCH t USING INDEX City.population#index (population>? AND population<?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ]
    ),
    (
      "name BEGINSWITH 'Name 499'", nil,
      ["SEARCH t USING INDEX City.name#index (name>? AND name<?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    (
      "name BEGINSWITH[c] 'NAME 499'", nil,
      ["SEARCH t USING INDEX City.(name folded ASC) (<expr>>? AND <expr><?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    (
      "name ==[c] 'NAME 499'", nil,
      ["SEARCH t USING INDEX City.(name folded ASC) (<expr>=?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    (
      "name IN {'Name 1', 'Name 2'}", nil,
      ["SEARCH t USING INDEX City.name#index (name=?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    (
      "area > 4990", nil,
      ["SEARCH t USING INDEX City.(area ASC) (area>? AND area<?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    ("kind == 'rare'", nil, ["SEARCH t USING INDEX City.kind#index (kind=?)"]),
    ("kind == 'common'", nil, ["SEARCH t USING INDEX City.kind#index (kind=?)"]),
    (
      "kind == 'common'", "-population",
      ["SCAN t USING INDEX City.population#index", "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"]
    ),
    (
      "kind == 'rare'", "-population",
      ["SEARCH t USING INDEX City.kind#index (kind=?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    (
      "kind == 'rare' AND population > 49000", nil,
      ["SEARCH t USING INDEX City.kind#index (kind=?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    (
      "TRUEPREDICATE", "-population",
      ["SCAN t USING INDEX City.population#index", "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"]
    ),
    (
      "population > 49900", "name",
      ["SEARCH t USING INDEX City.population#index (population>?)", "USE TEMP B-TREE FOR ORDER BY"]
    ),
    ("population > 100", "name", ["SCAN t USING INDEX City.name#index"]),
    (
      "country.code == 'C7'", nil,
      [
        "SEARCH t USING INDEX City.country#index (country=?)", "SCALAR SUBQUERY 1",
        "SEARCH t1 USING COVERING INDEX Country.code#index (code=?)",
      ]
    ),
    (
      "country.code == 'C7'", "-population",
      [
        "SEARCH t USING INDEX City.(country ASC.population DESC) (country=?)", "SCALAR SUBQUERY 1",
        "SEARCH t1 USING COVERING INDEX Country.code#index (code=?)",
      ]
    ),
    (
      "country.code == 'C7' AND population > 40000", "-population",
      [
        "SEARCH t USING INDEX City.(country ASC.population DESC) (country=? AND population>?)",
        "SCALAR SUBQUERY 1", "SEARCH t1 USING COVERING INDEX Country.code#index (code=?)",
      ]
    ),
    (
      "country.continent.code == 'AS'", nil,
      [
        "SCAN t", "LIST SUBQUERY 2", "SEARCH t1 USING COVERING INDEX Country.continent#index (continent=?)",
        "SCALAR SUBQUERY 1", "SEARCH t2 USING COVERING INDEX Continent.code#index (code=?)",
      ]
    ),
    (
      "country.continent.code == 'EU'", nil,
      [
        "SCAN t", "LIST SUBQUERY 2", "SEARCH t1 USING COVERING INDEX Country.continent#index (continent=?)",
        "SCALAR SUBQUERY 1", "SEARCH t2 USING COVERING INDEX Continent.code#index (code=?)",
      ]
    ),
    (
      "ANY tags == 't7'", nil,
      [
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
        "SEARCH t1 USING COVERING INDEX City.tags.value (value=?)", "USE TEMP B-TREE FOR ORDER BY",
      ]
    ),
    (
      "ANY tags == 'all'", nil,
      [
        "SCAN t", "CORRELATED SCALAR SUBQUERY 1",
        "SEARCH t1 USING COVERING INDEX City.tags.value (value=? AND owner=?)",
      ]
    ),
    (
      "names['en'] == 'E77'", nil,
      [
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
        "SEARCH t1 USING COVERING INDEX City.names.value (value=?)", "USE TEMP B-TREE FOR ORDER BY",
      ]
    ),
    (
      "ANY twins.name == 'Name 8'", nil,
      [
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
        "SEARCH t1 USING COVERING INDEX City.name#index (name=?)",
        "SEARCH t2 USING COVERING INDEX City.twins#index (value=?)", "USE TEMP B-TREE FOR ORDER BY",
      ]
    ),
    (
      "text TEXT 'number77'", nil,
      [
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
        "SEARCH t1 USING PRIMARY KEY (word=?)", "USE TEMP B-TREE FOR ORDER BY",
      ]
    ),
    (
      "text TEXT 'city'", nil,
      ["SCAN t", "CORRELATED SCALAR SUBQUERY 1", "SEARCH t1 USING PRIMARY KEY (word=? AND owner=?)"]
    ),
    (
      "text TEXT 'city number77'", nil,
      [
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
        "SEARCH t1 USING PRIMARY KEY (word=?)", "CORRELATED SCALAR SUBQUERY 2",
        "SEARCH t2 USING PRIMARY KEY (word=? AND owner=?)", "USE TEMP B-TREE FOR ORDER BY",
      ]
    ),
    (
      "population < 50 OR name == 'Name 9'", nil,
      [
        "MULTI-INDEX OR", "INDEX 1", "SEARCH t USING INDEX City.population#index (population<?)", "INDEX 2",
        "SEARCH t USING INDEX City.name#index (name=?)", "USE TEMP B-TREE FOR ORDER BY",
      ]
    ),
  ]

  // One store for all of them: filling it is the most of the work.
  @Test func `a query begins at the index that finds fewest objects, or goes through all`() async throws {
    let store = try await filled()
    for way in Self.ways {
      let explanation = try explanation(store, way.filter, way.sort)
      #expect(explanation.steps == way.steps, "\(way.filter) \(way.sort ?? "")")
      #expect(explanation.inMemory == [], "\(way.filter)")
    }
    let estimates = [
      ("id != 5", 5_000), ("population > 49900", 9), ("kind == 'rare' AND population > 100", 50),
      ("text TEXT 'number77'", 1), ("country.continent.code == 'AS'", 500),
    ]
    for (filter, rows) in estimates {
      #expect(try explanation(store, filter).estimatedRows == rows, "\(filter)")
    }
  }
}
