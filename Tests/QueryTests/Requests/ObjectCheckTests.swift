import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

/// Predicates that objects have to meet.
@Suite struct ObjectCheckTests {
  private func checks(_ text: String) throws -> [ObjectCheck] {
    let schema = try Schema(
      notation: Value(
        json: """
          [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int?","s":{"type":"string","indexed":"full-text"},
             "b":"A","bs":"A[]","e":"E","es":"E[]","m":"E{}","mix":"mixed","tags":"string[]",
             "from":{"type":"linkingObjects","objectType":"A","property":"b"}}},
           {"name":"E","embedded":true,"properties":{"x":"int?","deep":"E","a":"A"}}]
          """))
    let type = try #require(schema["A"])
    return try schema.checks(of: type.constrained(by: ObjectType.Constraints(checks: [text])))
  }

  @Test(
    arguments: [
      ("n > 1", 1), ("n > 1 AND n < 5", 1), ("id > n", nil), ("NOT (s BEGINSWITH 'x')", 2),
      ("s TEXT 'a b'", 2),
      ("b != NULL", 3), ("bs.@count < 3", 4), ("e.x > 1", 5), ("e.deep.x = 2", 5), ("ALL es.x > 0", 6),
      ("es.@max.x < 9", 6), ("e.a != NULL", 5), ("SUBQUERY(es, $x, $x.x > 1).@count < 2", 6),
      ("m.@keys = 'k'", 7), ("mix.@type = 'int'", 8), ("tags.@count < 5", 9), ("'x' IN tags", 9),
      ("e.x > n", nil), ("TRUEPREDICATE", nil),
    ] as [(String, Int?)])
  func `a check looks at the object and what is embedded in it`(text: String, property: Int?) throws {
    let checks = try checks(text)
    #expect(checks.map(\.text) == [text])
    #expect(checks.map(\.property) == [property])
  }

  @Test(arguments: [
    "b.n > 1", "bs.n > 1", "bs.@max.n > 1", "e.a.n = 2", "from.@count > 1", "@links.@count = 0",
    "@links.A.b.n = 1", "b = obj('A', 1)", "b IN {obj('A', 1)}", "mix.x = 1", "mix[0] = 1",
    "SUBQUERY(bs, $x, $x.n > 1).@count < 2", "SUBQUERY(es, $x, $x.a.n > 1).@count < 2", "e.deep.a.n > 1",
    "n > 1 AND b.n > 2", "NOT b.n > 2", "b.b != NULL",
  ])
  func `a check that may look at another object is none`(text: String) throws {
    #expect(throws: CheckError(objectType: "A", index: 0, rule: .looksAtOthers)) { try checks(text) }
  }

  @Test func `nor is one with clauses, or that is no predicate`() throws {
    #expect(throws: CheckError(objectType: "A", index: 0, rule: .hasClauses)) {
      try checks("n > 1 SORT(n ASC)")
    }
    for text in ["", "n >", "nn > 1", "n > $0"] {
      let error = #expect(throws: CheckError.self) { try checks(text) }
      guard case .query? = error?.rule else {
        Issue.record("\(text): \(String(describing: error))")
        continue
      }
    }
  }
}
