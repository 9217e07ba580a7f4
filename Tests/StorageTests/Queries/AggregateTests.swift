import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int?","d":"double?","when":"date?","ns":"int?[]",
    "link":"A","links":"A[]","back":{"type":"linkingObjects","objectType":"A","property":"link"}}}]
  """

/// An object as plain Swift has it.
private struct Plain {
  let id: Int
  let n: Int64?
  let d: Double?
  let seconds: Int64?
  let ns: [Int64?]
  let link: Int?
  let links: [Int]

  init(_ id: Int, _ count: Int, isHuge: Bool, _ random: inout SeededGenerator) {
    self.id = id
    let limit: Int64 = isHuge ? .max : 1_000
    func number() -> Int64? {
      Bool.random(using: &random) ? Int64.random(in: -limit...limit, using: &random) : nil
    }
    n = number()
    d = number().map { Double($0) / 8 }
    seconds = Bool.random(using: &random) ? Int64.random(in: -9_999...9_999, using: &random) : nil
    ns = (0..<Int.random(in: 0...3, using: &random)).map { _ in number() }
    link = Bool.random(using: &random) ? Int.random(in: 0..<count, using: &random) : nil
    links = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) }
  }

  var json: String {
    func text(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "null" }
    let when = seconds.map { #"{"$date":{"$numberLong":"\#($0 * 1000)"}}"# }
    return """
      {"id":\(id),"n":\(text(n)),"d":\(text(d)),"when":\(text(when)),"link":\(text(link)),
       "ns":[\(ns.map(text).joined(separator: ","))],"links":[\(links.map(text).joined(separator: ","))]}
      """
  }
}

/// Returns the result of a function for values that are added one after the other.
private func expected(_ function: String, _ values: [Int64]) -> Mixed {
  switch function {
  case "@min": values.min().map { .int($0) } ?? .null
  case "@max": values.max().map { .int($0) } ?? .null
  case "@sum": sum(values.reduce(Int128(0)) { $0 + Int128($1) })
  default: values.isEmpty ? .null : .double(values.reduce(0.0) { $0 + Double($1) } / Double(values.count))
  }
}

/// An int, or the decimal128 where there is no such int.
private func sum(_ sum: Int128) -> Mixed {
  Int64(exactly: sum).map { .int($0) } ?? .decimal128(Decimal128(sum.description) ?? .nan)
}

@Test(arguments: [(false, 21), (true, 22)] as [(Bool, UInt64)])
func `aggregates by SQLite are those of values added one by one`(isHuge: Bool, seed: UInt64) async throws {
  print("seed \(seed)")
  var random = SeededGenerator(seed: seed)
  let store = try await TemporaryStore(schema)
  let objects = (0..<120).map { Plain($0, 120, isHuge: isHuge, &random) }
  // First all by themselves, so that their keys, and so what links to one, have the order of their ids.
  let bare = try objects.map { try store.creation("A", #"{"id":\#($0.id)}"#) }
  let whole = try objects.map { try store.creation("A", $0.json, .all) }
  _ = try await store.store.perform(Transaction(bare + whole))
  let paths: [(String, (Plain) -> [Int64?])] = [
    ("n", { [$0.n] }), ("ns", { $0.ns }), ("link.n", { [$0.link.flatMap { objects[$0].n }] }),
    ("links.n", { $0.links.map { objects[$0].n } }),
    ("link.link.n", { [$0.link.flatMap { objects[$0].link }.flatMap { objects[$0].n }] }),
    ("links.ns", { $0.links.flatMap { objects[$0].ns } }),
    ("back.n", { object in objects.filter { $0.link == object.id }.map(\.n) }),
    (
      "back.links.n",
      { object in
        objects.filter { $0.link == object.id }.flatMap { $0.links.map { objects[$0].n } }
      }
    ),
  ]
  for round in 0..<60 {
    let least = Int.random(in: 0...130, using: &random)
    let limit = Int.random(in: 1...60, using: &random)
    let isLimited = round.isMultiple(of: 3)
    let filter = "id >= \(least)" + (isLimited ? " SORT(id DESC) LIMIT(\(limit))" : " SORT(id ASC)")
    var found = objects.filter { $0.id >= least }
    if isLimited { found = found.reversed().prefix(limit).reversed() }
    let (path, values) = paths[round % paths.count]
    let functions = ["@min", "@max", "@sum", "@avg"].filter { _ in Bool.random(using: &random) } + ["@max"]
    let terms = functions.map { "\(path).\($0)" } + ["@count"]
    let plan = try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "A")
    let aggregates = try Aggregate.list(
      terms.joined(separator: ","), objectType: "A", schema: store.store.schema)
    // In the order of the result, in which rounding depends on it.
    let ordered = isLimited ? found.reversed() : found
    let all = ordered.flatMap(values).compactMap { $0 }
    let wanted = functions.map { expected($0, all) } + [.int(Int64(found.count))]
    #expect(try store.reading.aggregate(plan, aggregates) == wanted, "\(filter): \(terms)")
  }
}

@Test func `dates and doubles are aggregated beside ints`() async throws {
  var random = SeededGenerator(seed: 23)
  let store = try await TemporaryStore(schema)
  let objects = (0..<40).map { Plain($0, 40, isHuge: false, &random) }
  _ = try await store.store.perform(Transaction(objects.map { try store.creation("A", $0.json) }))
  let plan = try Plan(request: QueryRequest(), schema: store.store.schema, objectType: "A")
  let dates = objects.compactMap(\.seconds)
  let doubles = objects.compactMap(\.d)
  for (text, wanted) in [
    ("when.@min,when.@max", [dates.min(), dates.max()].map { $0.map { .date(Date(seconds: $0)) } ?? .null }),
    ("d.@sum,n.@max", [.double(doubles.reduce(0, +)), expected("@max", objects.compactMap(\.n))]),
    ("d.@min,@count", [doubles.min().map { .double($0) } ?? .null, .int(40)]),
  ] as [(String, [Mixed])] {
    let aggregates = try Aggregate.list(text, objectType: "A", schema: store.store.schema)
    #expect(try store.reading.aggregate(plan, aggregates) == wanted)
  }
}
