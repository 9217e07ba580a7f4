import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Ints whose sum or product is none.
@Suite struct IntOverflowTests {
  private static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","ns":"int[]","link":"A?","links":"A[]"}}]
    """

  private func filled() async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema)
    let max = Int64.max
    let min = Int64.min
    let rows = [(1, max, "\(max),\(max)"), (2, min, "\(max),1,-1"), (3, 1, ""), (4, -1, "\(min),-1")]
    let creations = try rows.map { id, n, ns in
      let link = id == 1 ? "null" : "1"
      return try store.creation("A", #"{"id":\#(id),"n":\#(n),"ns":[\#(ns)],"link":\#(link),"links":[1,3]}"#)
    }
    _ = try await store.store.perform(Transaction(creations))
    return store
  }

  @Test(arguments: [
    ("n + 1 > 9223372036854775807", [1]), ("n - 1 < -9223372036854775808", [2]), ("n * 2 < 0", [2, 4]),
    ("n / -1 > 9223372036854775807", [2]), ("n * n > 0", [1, 2, 3, 4]), ("n + n == 2 * n", [1, 2, 3, 4]),
    ("ns.@sum > 9223372036854775807", [1]), ("ns.@sum == 9223372036854775807", [2]),
    ("ns.@sum < -9223372036854775808", [4]), ("links.@sum.n > 9223372036854775807", [1, 2, 3, 4]),
    ("n + 1 == 9223372036854775808", [1]), ("n + 1 != 9223372036854775808", [2, 3, 4]),
    ("n + 1 IN {9223372036854775808, 7}", [1]), ("links.@sum.n == 9223372036854775808", [1, 2, 3, 4]),
    ("n == 9223372036854775808", []), ("n < 9223372036854775808", [1, 2, 3, 4]),
    ("n > -9223372036854775809", [1, 2, 3, 4]), ("n + 9223372036854775807 + 1 > n", [1, 2, 3, 4]),
    ("n > 9223372036854775807 + 1", []),
    ("NOT n < 9223372036854775807 * 2", []), ("link.@avg.n > 9e18", [2, 3, 4]), ("link.@sum.n == 0", [1]),
    ("link.@max.n == null", [1]), ("links.n BETWEEN {1, 1}", [1, 2, 3, 4]),
    ("links.n BETWEEN {2, 5}", [1, 2, 3, 4]),
    ("ALL links.n BETWEEN {2, 5}", []), ("ALL links.n BETWEEN {1, 9223372036854775807}", [1, 2, 3, 4]),
  ])
  func `filters reckon on with decimals`(filter: String, found: [Int]) async throws {
    let store = try await filled()
    let objects = try store.page("A", QueryRequest(filter: filter, selection: FieldSelection(fields: "id")))
      .objects
    #expect(objects == found.map { "{\"id\":\($0)}" })
  }

  @Test(arguments: [
    ("id == 1 OR id == 3", Mixed.decimal128(Decimal128("9223372036854775808") ?? .nan)),
    ("id != 2 SORT(id ASC)", .int(.max)), ("TRUEPREDICATE", .int(-1)), ("id == 9", .int(0)),
    ("id == 2 OR id == 4", .decimal128(Decimal128("-9223372036854775809") ?? .nan)),
  ])
  func `a sum is an int where there is such an int, else a decimal`(filter: String, sum: Mixed) async throws {
    let store = try await filled()
    let plan = try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "A")
    let aggregates = try Aggregate.list("n.@sum", objectType: "A", schema: store.store.schema)
    #expect(try store.reading.aggregate(plan, aggregates) == [sum])
  }
}
