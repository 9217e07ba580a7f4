import GatehouseModel
import GatehouseQuery
import Testing

@testable import GatehouseStorage

/// Where SQLite begins to look, decided for a store of 400 cities, and pages of 20.
@Suite struct AccessChooserTests {
  private static let schema = """
    [{"name":"City","primaryKey":"id","properties":{"id":"int","name":"string",
      "population":{"type":"int","indexed":true},"kind":{"type":"string","indexed":true},
      "state":{"type":"string","indexed":true}},
      "indexes":[{"properties":["kind","population"]}]}]
    """

  private func filled() async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema)
    let operations = try (0..<400).map { id in
      try store.creation(
        "City",
        """
        {"id":\(id),"name":"\(id)","population":\(id),"kind":"\(id % 100 == 0 ? "rare" : "common")",
         "state":"S\(id % 40)"}
        """)
    }
    _ = try await store.store.perform(Transaction(operations))
    return store
  }

  private func chooser(_ filter: String, _ sort: String?, _ store: TemporaryStore) throws -> AccessChooser {
    var plan = try Plan(
      request: QueryRequest(filter: filter, sort: sort), schema: store.store.schema, objectType: "City")
    plan.pageSize = 20
    return try AccessChooser(plan, catalog: store.reading.session.catalog)
  }

  private static let choices: [(filter: String, sort: String?, access: AccessPath)] = [
    // 9 of 400 are found by the index, and sorted.
    ("population > 390", nil, AccessPath(isSorting: true, rows: 9)),
    // More than √(21 · 400) = 91: going through all of them in the order of keys meets 20 of them sooner.
    ("population > 300", nil, AccessPath(unused: [0], rows: 400)),
    // The same by name, which no index has the order of: SQLite may use what it likes.
    ("population > 300", "name", AccessPath(rows: 400)),
    // In the order of an index that they are sorted by.
    ("kind == 'common'", "population", AccessPath(unused: [0], rows: 400)),
    // Uses the index that finds fewer; the other one would be asked in vain.
    ("state == 'S7' AND population > 100", nil, AccessPath(unused: [1], isSorting: true, rows: 10)),
    ("population > 100 AND state == 'S7'", nil, AccessPath(unused: [0], isSorting: true, rows: 10)),
    // One index has both.
    ("kind == 'rare' AND population > 100", nil, AccessPath(isSorting: true, rows: 4)),
    // Two that find about as many are both left to SQLite.
    ("state == 'S7' AND population > 380", nil, AccessPath(isSorting: true, rows: 10)),
    // No index at all.
    ("name == '7'", nil, AccessPath(rows: 400)),
    ("state == 'S7' OR name == '7'", nil, AccessPath(rows: 400)),
    ("state == 'S7' OR population == 8", nil, AccessPath(isSorting: true, rows: 11)),
    // A function of a value is in no index.
    ("state.@size == 2", nil, AccessPath(rows: 400)),
  ]

  @Test
  func `the index that finds fewest objects is used, unless going through all of them meets a page sooner`()
    async throws
  {
    let store = try await filled()
    _ = try store.reading.counts()
    for choice in Self.choices {
      let access = try chooser(choice.filter, choice.sort, store).access(in: store.reading.session)
      #expect(access == choice.access, "\(choice.filter) \(choice.sort ?? "")")
    }
  }

  private static let questions: [(filter: String, sort: String?, isQuestionable: Bool)] = [
    ("TRUEPREDICATE", nil, false), ("name == '7'", nil, false), ("population > 300", nil, true),
    // Its entries with one value are in the order of keys.
    ("kind == 'rare'", nil, false),
    ("population == 7 AND kind == 'rare'", nil, true),
    // A range of what is sorted by, and what an index has after what is equal.
    ("population > 300", "population", false), ("kind == 'rare'", "population", false),
    ("kind == 'rare'", "-population", false), ("kind == 'rare'", "name", true),
  ]

  @Test func `the file is only asked where SQLite's own choice may be a bad one`() async throws {
    let store = try await filled()
    _ = try store.reading.counts()
    for question in Self.questions {
      let chooser = try chooser(question.filter, question.sort, store)
      #expect(
        chooser.isQuestionable == question.isQuestionable, "\(question.filter) \(question.sort ?? "")")
    }
  }

  @Test(
    arguments: [
      (400, 20, 91), (400, nil, 100), (1_000_000, 20, 4_582), (1_000_000, nil, 20_000), (100, 1_000, 25),
      (1 << 50, 1_000, 20_000),
    ] as [(objects: Int, page: Int?, limit: Int)])
  func `an index that finds the root of page times objects is of no use any more`(
    objects: Int, page: Int?, limit: Int
  ) {
    #expect(AccessChooser.limit(objects: objects, page: page) == limit)
  }

  @Test func `in a class of eight objects nothing is counted`() async throws {
    let store = try await TemporaryStore(Self.schema)
    _ = try await store.store.perform(
      Transaction(
        try (0..<8).map {
          try store.creation("City", #"{"id":\#($0),"name":"","population":1,"kind":"","state":""}"#)
        }))
    _ = try store.reading.counts()
    let access = try chooser("population > 300", nil, store).access(in: store.reading.session)
    #expect(access == AccessPath(rows: 8))
  }
}
