import FoundationEssentials
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Elements of a type, as JSON in their one spelling, smallest first.
private let types: [(name: String, values: [String])] = [
  ("bool", ["false", "true"]), ("bool?", ["null", "false", "true"]),
  ("int", ["-9223372036854775808", "-1", "0", "7", "9223372036854775807"]), ("int?", ["null", "-5", "12"]),
  ("float", ["-1.5", "0.1", "3.25"]), ("float?", ["null", "0.5"]), ("double", ["-2.5", "0.1", "1e+300"]),
  ("double?", ["null", "2.5"]), ("decimal128", [#""-1.50""#, #""3""#]), ("decimal128?", ["null", #""0.1""#]),
  ("string", [#""""#, #""a""#, #""é""#, #""キー""#]), ("string?", ["null", #""x""#]),
  ("data", [#""""#, #""AQID""#]), ("data?", ["null", #""/w==""#]),
  ("date", [#""1999-12-31T23:59:59Z""#, #""2024-02-29T00:00:00.123456789Z""#]),
  ("date?", ["null", #""2024-01-01T00:00:00Z""#]),
  ("objectId", [#""650000000000000000000001""#, #""ffffffffffffffffffffffff""#]),
  ("objectId?", ["null", #""650000000000000000000002""#]),
  ("uuid", [#""00000000-0000-0000-0000-000000000001""#, #""ffffffff-ffff-4fff-bfff-ffffffffffff""#]),
  ("uuid?", ["null", #""00000000-0000-0000-0000-000000000002""#]),
  ("mixed", ["null", "true", "5", #""text""#]),
]

/// Plain Swift beside the store: what its collections hold.
private struct Model {
  var map: [String: String] = [:]
  var list: [String] = []
  var set: Set<String> = []

  var mapText: String {
    let keys = map.keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    return "{" + keys.map { "\"\($0)\":\(map[$0] ?? "")" }.joined(separator: ",") + "}"
  }
  var listText: String { "[" + list.joined(separator: ",") + "]" }
}

/// Sends operations and does the same to the model.
private struct Player {
  let fixture: Fixture
  let values: [String]
  let base: String
  var random: SeededGenerator
  var model = Model()
  var operations = 0

  mutating func step() async throws {
    operations += 1
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1:
      let (key, value) = (key(), value())
      try await send(.put, "m/\(key)", value, model.map[key] == nil ? 201 : 204)
      model.map[key] = value
    case 2:
      let key = key()
      try await send(.delete, "m/\(key)", nil)
      model.map[key] = nil
    case 3:
      let (first, second) = (value(), value())
      let isOld = Bool.random(using: &random)
      try await send(.patch, "m?uniquing=\(isOld ? "old" : "new")", #"{"k1":\#(first),"k2":\#(second)}"#)
      model.map.merge(["k1": first, "k2": second]) { isOld ? $0 : $1 }
    case 4 where Int.random(in: 0..<20, using: &random) == 0:
      try await send(.delete, "m", nil)
      model.map = [:]
    case 4, 5:
      let new = [value(), value()]
      try await send(.post, "l", "[\(new.joined(separator: ","))]")
      model.list += new
    case 6, 7:
      let (index, value) = (Int.random(in: 0...model.list.count, using: &random), value())
      try await send(.post, "l?at=\(index)", "[\(value)]")
      model.list.insert(value, at: index)
    case 8: try await changeElement()
    case 9 where !model.list.isEmpty:
      let (from, to) = (index(), index())
      try await send(.patch, "l", #"{"move":{"from":\#(from),"to":\#(to)}}"#)
      model.list.insert(model.list.remove(at: from), at: to)
    case 10 where model.list.count > 12:
      let from = Int.random(in: 0..<model.list.count - 8, using: &random)
      try await send(.delete, "l?from=\(from)&count=8", nil)
      model.list.removeSubrange(from..<from + 8)
    case 11:
      let value = value()
      try await send(.post, "s", "[\(value)]")
      model.set.insert(value)
    case 12:
      let value = value()
      try await send(.patch, "s", #"{"subtract":[\#(value)]}"#)
      model.set.remove(value)
    default:
      let (first, second) = (value(), value())
      let name = ["union", "intersect"].randomElement(using: &random) ?? "union"
      try await send(.patch, "s", #"{"\#(name)":[\#(first),\#(second)]}"#)
      model.set =
        name == "union" ? model.set.union([first, second]) : model.set.intersection([first, second])
    }
  }

  private mutating func changeElement() async throws {
    guard !model.list.isEmpty else { return }
    let (index, value) = (index(), value())
    // Half of them counted from the end.
    let name = Bool.random(using: &random) ? index : index - model.list.count
    if Bool.random(using: &random) {
      try await send(.put, "l/\(name)", value)
      model.list[index] = value
    } else {
      try await send(.delete, "l/\(name)", nil)
      model.list.remove(at: index)
    }
  }

  private mutating func key() -> String { "k\(Int.random(in: 0..<6, using: &random))" }
  private mutating func value() -> String { values.randomElement(using: &random) ?? "null" }
  private mutating func index() -> Int { Int.random(in: model.list.indices, using: &random) }

  private func send(_ method: GatehouseHTTP.Method, _ place: String, _ json: String?, _ status: UInt16 = 204)
    async throws
  {
    let fields = json == nil ? [:] : ["content-type": "application/json"]
    let answer = try await fixture.send(method, base + place, fields, json.map { Array($0.utf8) })
    #expect(answer.status == status, "\(method) \(place) \(json ?? ""): \(answer.text)")
  }

  /// Whether the store holds what the model does, seen in several ways.
  func compare() async throws {
    let expected = [
      ("m", model.mapText), ("l", model.listText), ("m?only=count", "\(model.map.count)"),
      ("l?only=count", "\(model.list.count)"), ("s?only=count", "\(model.set.count)"),
    ]
    for (place, text) in expected {
      let target = base + place + (place.contains("?") ? "" : "?limit=1000")
      #expect(try await fixture.send(.get, target).text == text, "\(place)")
    }
    let members = try await fixture.send(.get, base + "s").text
    for value in values {
      let isMember = try await fixture.send(.get, base + "s?contains=" + value.percentEncoded).text == "true"
      #expect(isMember == model.set.contains(value), "\(value) in \(members)")
    }
    if let last = model.list.last { #expect(try await fixture.send(.get, base + "l/-1").text == last) }
  }
}

/// `GATEHOUSE_MODEL_OPERATIONS` is how many operations each type gets, `GATEHOUSE_MODEL_SEED` where they begin.
@Test(arguments: types.indices)
func `random operations on collections of each type do what Swift's do`(index: Int) async throws {
  let environment = ProcessInfo.processInfo.environment
  let count = environment["GATEHOUSE_MODEL_OPERATIONS"].flatMap { Int($0) } ?? 120
  let seed = environment["GATEHOUSE_MODEL_SEED"].flatMap { UInt64($0) } ?? 1
  let (name, values) = types[index]
  let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","m":"\(name){}","l":"\(name)[]","s":"\(name)<>"}}]
    """
  try await Fixture.with(schema) { fixture in
    try #require(try await fixture.send(.post, "/v1/collections/A", json: #"{"id":1}"#).status == 201)
    var player = Player(
      fixture: fixture, values: values, base: "/v1/collections/A/1/",
      random: SeededGenerator(seed: seed &+ UInt64(index) << 32))
    print("\(name): seed \(seed), \(count) operations")
    for operation in 1...count {
      try await player.step()
      if operation % 20 == 0 { try await player.compare() }
    }
    try await player.compare()
  }
}
