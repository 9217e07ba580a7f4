import GatehouseModel
import GatehouseStorage
import Testing

/// The order of documents by an index, as whoever wants the first of them reads it.
@Suite struct FieldOrderTests {
  private static func keys(
    _ store: TemporaryStore, isAscending: Bool, atMost limit: Int, path: String = "n"
  ) throws -> [[Int64]]? {
    let reader = try store.store.makeReader()
    return try reader.reading { reader in
      guard var order = try FieldOrder(of: "Log", by: [ExactText(path)], isAscending: isAscending, in: reader)
      else {
        return nil
      }
      var batches: [[Int64]] = []
      while true {
        let keys = try order.keys(atMost: limit, in: reader)
        if keys.isEmpty { return batches }
        batches.append(keys.map(\.value))
      }
    }
  }

  private static func store(_ values: [String?]) async throws -> TemporaryStore {
    let store = try await TemporaryStore(#"[{"name":"Log","schemaless":true,"indexes":["n"]}]"#)
    for (id, value) in values.enumerated() {
      try await store.create("Log", #"{"_id":\#(id)\#(value.map { #","n":\#($0)"# } ?? "")}"#)
    }
    return store
  }

  @Test func `no more is read than is asked for, those without a value first`() async throws {
    let store = try await Self.store(["5", nil, "3", "5", "null", "1", "4"])
    #expect(try Self.keys(store, isAscending: true, atMost: 3) == [[1, 4, 5], [2, 6, 0], [3]])
    #expect(try Self.keys(store, isAscending: false, atMost: 3) == [[0, 3, 6], [2, 5, 1], [4]])
  }

  @Test func `values that have one place are not parted`() async throws {
    let long = String(repeating: "x", count: 300)
    let store = try await Self.store([#""\#(long)b""#, #""a""#, #""\#(long)a""#, #""\#(long)c""#, #""y""#])
    #expect(try Self.keys(store, isAscending: true, atMost: 2) == [[1, 0, 2, 3], [4]])
    let numbers = try await Self.store(["0.5", "0.1", #"{"$numberDecimal":"0.1"}"#, "0.1", "7", "7", "7"])
    #expect(try Self.keys(numbers, isAscending: true, atMost: 2)?.joined().count == 7)
    #expect(try Self.keys(numbers, isAscending: false, atMost: 2)?.first == [4, 5])
  }

  @Test(arguments: [
    ["1", #""a""#], ["[1]", "2"], ["{}"], ["true", "1"], [#"{"$timestamp":{"t":1,"i":1}}"#],
  ])
  func `there is no order of values of several types, of lists and of documents`(values: [String])
    async throws
  {
    #expect(try Self.keys(await Self.store(values), isAscending: true, atMost: 9) == nil)
  }

  @Test func `there is an order of nothing, and none without an index`() async throws {
    let store = try await Self.store([nil, "null"])
    #expect(try Self.keys(store, isAscending: true, atMost: 9) == [[0, 1]])
    #expect(try Self.keys(store, isAscending: false, atMost: 1) == [[0], [1]])
    #expect(try Self.keys(store, isAscending: true, atMost: 1, path: "m") == nil)
  }
}
