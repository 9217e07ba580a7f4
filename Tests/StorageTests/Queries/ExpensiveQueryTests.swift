import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Queries that no index helps are stopped, each in the place where its time goes; then the reader goes on.
@Suite struct ExpensiveQueryTests {
  private static let schema = """
    [{"name":"Person","primaryKey":"id","properties":{"id":"int","name":"string","weight":"double","extra":"mixed",
      "text":{"type":"string","indexed":"full-text"},"friend":"Person?","friends":"Person[]","tags":"string[]",
      "place":"Place?","fans":{"type":"linkingObjects","objectType":"Person","property":"friends"}}},
     {"name":"Place","embedded":true,"properties":{"type":"string","coordinates":"double[]"}}]
    """

  private func filled() async throws -> TemporaryStore {
    var options = StoreOptions()
    options.queryTime = 1
    let store = try await TemporaryStore(Self.schema, options: options)
    let people = try (0..<1_500).map { id in
      let others = (1...4).map { "\((id + $0) % 1_500)" }.joined(separator: ",")
      return try store.creation(
        "Person",
        """
        {"id":\(id),"name":"name \(id)","weight":\(id).5,"extra":{"list":[\(id),"x"]},"text":"some words \(id)",
         "friend":\((id + 1) % 1_500),"friends":[\(others)],"tags":["a","b\(id)"],
         "place":{"type":"Point","coordinates":[\(id % 90),1.0]}}
        """)
    }
    _ = try await store.store.perform(Transaction(people))
    return store
  }

  private static let queries: [(filter: String, sort: String?)] = [
    // The evaluator, called for each object.
    ("weight * 2 + id == 17.25", nil), ("extra.list[*] == 'absent'", nil),
    ("ALL friends.tags.@count == 9", nil),
    ("friends.@avg.weight == 0.25", nil),
    ("ANY friends.place GEOWITHIN geoCircle([0.0, 80.0], 0.01)", nil),
    // Subqueries of SQLite's, one in another.
    ("SUBQUERY(friends, $x, SUBQUERY($x.fans, $y, $y.name CONTAINS 'absent').@count > 0).@count > 3", nil),
    ("ANY friends.friends.friends.name ENDSWITH 'absent'", nil), ("fans.friends.@count == 12345", nil),
    // Functions of ours, words that are excluded, paths that are compared.
    ("ANY friends.name LIKE[c] '*a*b*sent*'", nil), ("text TEXT '-some'", nil),
    ("name == friend.friend.friend.name", nil),
    // Sorting through links, and groups.
    ("TRUEPREDICATE", "friend.friend.friend.name"), ("TRUEPREDICATE", "extra"),
    ("TRUEPREDICATE SORT(friend.name ASC) DISTINCT(friend.friend.name)", nil),
  ]

  // One store for all of them: filling it is the most of the work.
  @Test func `every kind of expensive query is stopped, and the next one answered`() async throws {
    let store = try await filled()
    for (filter, sort) in Self.queries {
      #expect(throws: StorageError.timeLimit, "\(filter) \(sort ?? "")") {
        try store.page("Person", QueryRequest(filter: filter, sort: sort))
      }
      if sort == nil {
        #expect(throws: StorageError.timeLimit, "counting \(filter)") {
          try store.count("Person", QueryRequest(filter: filter))
        }
      }
      #expect(try store.version("Person", .int(7)) == 2, "after \(filter)")
    }
  }

  /// One object whose evaluation takes as long as many queries: SQLite looks at no limit meanwhile.
  @Test func `one call of a function is stopped as well`() async throws {
    var options = StoreOptions()
    options.queryTime = 1
    let store = try await TemporaryStore(Self.schema, options: options)
    let all = (0..<30).map(String.init).joined(separator: ",")
    let text = String(repeating: "a", count: 20_000)
    let people = try (0..<30).map { id in
      try store.creation(
        "Person",
        """
        {"id":\(id),"name":"\(text)","weight":0.5,"text":"","friends":[\(all)],"tags":["a"]}
        """)
    }
    _ = try await store.store.perform(Transaction(people))
    let pattern = "*?" + String(repeating: "a", count: 5_000) + "b"
    for filter in [
      "id == 1 AND ALL friends.friends.friends.tags.@count == 1", "id == 1 AND name LIKE '\(pattern)'",
      "id == 1 AND SUBQUERY(friends.friends, $x, ALL $x.friends.tags.@count == 1).@count == 900",
    ] {
      #expect(throws: StorageError.timeLimit, "\(filter.prefix(60))") {
        try store.page("Person", QueryRequest(filter: filter))
      }
      #expect(try store.version("Person", .int(7)) == 2)
    }
  }
}
