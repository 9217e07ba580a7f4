import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int?","d":"double?","s":{"type":"string?","indexed":true},
    "link":"A","ns":"int[]","x":"mixed","f":"string?"},"indexes":[{"properties":["f.@folded"]}]}]
  """

private func filled() async throws -> TemporaryStore {
  let store = try await TemporaryStore(schema)
  for object in [
    #"{"id":1,"n":1,"d":0.5,"s":"a","ns":[1,2],"x":1,"f":"Aa"}"#,
    #"{"id":2,"n":2,"d":1.5,"s":"b","link":1,"ns":[2,3],"x":"b","f":"Öb"}"#,
    #"{"id":3,"n":null,"d":{"$numberDouble":"NaN"},"s":null,"link":2,"x":null}"#,
    #"{"id":4,"n":3,"d":null,"s":"ab","link":3,"ns":[3],"x":2}"#,
  ] { try await store.create("A", object) }
  return store
}

/// One after the other through one reader, so that each could be given the statement of the one before.
@Test func `queries that differ in a constant have each its own answer`() async throws {
  let store = try await filled()
  for (filter, ids) in [
    ("n > 1", [2, 4]), ("n > 2", [4]), ("n > 0", [1, 2, 4]), ("n > 1.5", [2, 4]), ("n > null", []),
    ("n > 1", [2, 4]),
    ("n == 1", [1]), ("n == null", [3]), ("n == 3", [4]), ("n == 2.0", [2]), ("n != 1", [2, 3, 4]),
    ("n != null", [1, 2, 4]), ("n != 2", [1, 3, 4]), ("d < 1", [1, 3]), ("d < 2", [1, 2, 3]),
    ("d < 1.0", [1]), ("d == NaN", []),
    ("d == 0.5", [1]), ("d == 1.5", [2]), ("d < 1 AND n == 1", [1]), ("d < 2 AND n == 2", [2]),
    ("d < 2 AND n == 9", []), ("n == 2 AND d < 2", [2]), ("s == 'a'", [1]), ("s == 'b'", [2]),
    ("s == null", [3]),
    ("s CONTAINS 'b'", [2, 4]), ("s CONTAINS 'a'", [1, 4]), ("s CONTAINS ''", [1, 2, 4]),
    ("s BEGINSWITH 'a'", [1, 4]), ("s BEGINSWITH 'b'", [2]), ("s LIKE 'a*'", [1, 4]),
    ("s LIKE '*b'", [2, 4]),
    ("s ==[c] 'A'", [1]), ("s ==[c] 'B'", [2]), ("link.n == 1", [2]), ("link.n == 2", [3]),
    ("link.n == null", [1, 4]),
    ("link.id == 3", [4]), ("link.id == 1", [2]), ("ANY ns == 2", [1, 2]), ("ANY ns == 3", [2, 4]),
    ("ALL ns > 2", [3, 4]), ("ALL ns > 1", [2, 3, 4]), ("ns.@count > 1", [1, 2]),
    ("ns.@count > 0", [1, 2, 4]),
    ("x == 1", [1]), ("x == 2", [4]), ("x == 'b'", [2]), ("x == null", [3]), ("NOT n == 1", [2, 3, 4]),
    ("NOT n == 2", [1, 3, 4]), ("n == 1 OR n == 2", [1, 2]), ("n == 1 OR n == 3", [1, 4]),
    ("n IN {1, 3}", [1, 4]),
    ("n IN {2}", [2]), ("n BETWEEN {1, 2}", [1, 2]), ("n BETWEEN {2, 3}", [2, 4]),
    ("(n > 0 AND (d < 1 AND s == 'a'))", [1]), ("(n > 1 AND (d < 2 AND s == 'b'))", [2]),
  ] as [(String, [Int])] {
    let found = try store.page("A", QueryRequest(filter: filter, selection: FieldSelection(fields: "id")))
      .objects
    #expect(found == ids.map { #"{"id":\#($0)}"# }, "\(filter)")
  }
}

@Test(
  arguments: [
    ("n > 1", "n > 2"), ("n == 1 OR n == 2", "n == 3 OR n == 4"), ("n IN {1, null}", "n IN {2, null}"),
    ("n == 1 OR s == 'a' OR d < 0.5", "n == 2 OR s == 'b' OR d < 1.5"),
    ("NOT (n == 1 OR s LIKE 'a')", "NOT (n == 2 OR s LIKE '*b*')"), ("s BEGINSWITH 'a'", "s BEGINSWITH 'bc'"),
    ("s BEGINSWITH[c] 'a'", "s BEGINSWITH[c] 'bc'"), ("s ENDSWITH 'a'", "s ENDSWITH ''"),
    ("s CONTAINS[c] 'a'", "s CONTAINS[c] 'b'"), ("s LIKE[c] 'a?'", "s LIKE[c] '*'"),
    ("f ==[c] 'A'", "f ==[c] 'b'"), ("f BEGINSWITH[c] 'A'", "f BEGINSWITH[c] 'Ö'"),
    ("f !=[c] 'A'", "f !=[c] 'b'"),
    ("x == 'a'", "x == 'b'"), ("x > 1", "x > 2"), ("link.s LIKE 'a'", "link.s LIKE 'b'"),
    ("ANY ns == 1 OR link.n == 1", "ANY ns == 2 OR link.n == 2"),
  ])
func `queries that differ in constants have one statement`(first: String, second: String) async throws {
  let store = try await filled()
  func sql(_ filter: String) throws -> String {
    let plan = try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "A")
    return try store.reading.explain(plan).sql
  }
  #expect(try sql(first) == sql(second))
  // And each its own answer, through it and in memory.
  for filter in [first, second, first] {
    let found = try store.page("A", QueryRequest(filter: filter, selection: FieldSelection(fields: "id")))
      .objects
    let other = try await filled()
    #expect(
      try other.page("A", QueryRequest(filter: filter, selection: FieldSelection(fields: "id"))).objects
        == found)
  }
}

@Test func `a prefix that nothing follows has a statement of its own`() async throws {
  let store = try await filled()
  for _ in 0..<2 {
    for (filter, ids) in [
      ("s BEGINSWITH ''", [1, 2, 4]), ("s BEGINSWITH 'a'", [1, 4]), ("f BEGINSWITH[c] ''", [1, 2]),
      ("f BEGINSWITH[c] 'ö'", [2]), ("s BEGINSWITH '\u{10FFFF}'", []), ("s BEGINSWITH 'b'", [2]),
    ] as [(String, [Int])] {
      let found = try store.page("A", QueryRequest(filter: filter, selection: FieldSelection(fields: "id")))
        .objects
      #expect(found == ids.map { #"{"id":\#($0)}"# }, "\(filter)")
    }
  }
}

@Test func `pages behind a cursor have one statement, and another where it has null`() async throws {
  let store = try await filled()
  for sort in ["n", "-n", "s,-d", "-x,n", "link.n"] {
    let whole = try store.page("A", QueryRequest(sort: sort, selection: FieldSelection(fields: "id"))).objects
    for _ in 0..<2 {
      var found: [String] = []
      var cursor: Cursor?
      repeat {
        let page = try store.page(
          "A", QueryRequest(sort: sort, limit: 1, selection: FieldSelection(fields: "id")), cursor)
        found += page.objects
        cursor = page.next
      } while cursor != nil
      #expect(found == whole, "\(sort)")
    }
  }
}

@Test func `where to begin is decided for each constant`() async throws {
  let store = try await TemporaryStore(schema)
  let many = try (0..<600).map { id in
    try store.creation("A", #"{"id":\#(id),"s":"\#(id < 5 ? "rare" : "frequent")"}"#)
  }
  _ = try await store.store.perform(Transaction(many))
  for _ in 0..<2 {
    for (text, count) in [("rare", 5), ("frequent", 100), ("none", 0)] {
      let request = QueryRequest(
        filter: "s == '\(text)' AND id >= 0", sort: "id", limit: 100, selection: FieldSelection(fields: "id"))
      #expect(try store.page("A", request).objects.count == count)
    }
  }
}
