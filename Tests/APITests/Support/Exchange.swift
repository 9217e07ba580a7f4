import GatehouseHTTP
import Testing

@testable import GatehouseAPI

private let schema = """
  [{"name":"Box","primaryKey":"id","properties":{"id":"int","n":"int","note":"string?","map":"int?{}","list":"string[]",
    "set":"int<>","mixed":"mixed","boxes":"Box{}","row":"Box[]","inner":"Inner","inners":"Inner{}","innerList":"Inner[]",
    "link":"Box","holders":{"type":"linkingObjects","objectType":"Box","property":"link"}}},
   {"name":"Inner","embedded":true,"properties":{"x":"int","tags":"string[]","deep":"Inner"}}]
  """
private let first = """
  {"id":1,"n":5,"map":{"a":1,"b":null,"c":3},"list":["x","y","z"],"set":[1,2,3],
   "mixed":{"list":[1,{"k":"v"}],"word":"w"},"boxes":{"me":1,"two":2},"row":[2,1],
   "inner":{"x":1,"tags":["t"]},"inners":{"i":{"x":7}},"innerList":[{"x":1},{"x":2}],"link":2}
  """

/// One request on `/v1/collections/Box/1/…`, its answer, and what a GET says afterwards of the same place.
struct Exchange: Sendable, CustomTestStringConvertible {
  let method: String
  let target: String
  var json: String?
  let status: UInt16
  /// The content; of a problem its code.
  var text = ""

  var testDescription: String { "\(method) \(target) \(json ?? "")" }

  /// A read, and what it answers.
  static func get(_ target: String, _ text: String) -> Exchange {
    Exchange(method: "GET", target: target, status: 200, text: text)
  }

  /// An exchange that is refused with the code.
  static func bad(
    _ method: String, _ target: String, _ status: UInt16, _ code: String, _ json: String? = nil
  ) -> Exchange {
    Exchange(method: method, target: target, json: json, status: status, text: code)
  }
}

/// A gateway with two boxes, of which the first has something in every property.
func withBoxObjects(_ body: (Fixture) async throws -> Void) async throws {
  try await Fixture.with(schema) { fixture in
    for box in [#"{"id":2,"n":6}"#, first] {
      let answer = try await fixture.send(.post, "/v1/collections/Box", json: box)
      try #require(answer.status == 201, "\(answer.text)")
    }
    try await body(fixture)
  }
}

extension Fixture {
  func send(_ exchange: Exchange) async throws -> Answer {
    let target = "/v1/collections/Box/1/\(exchange.target)"
    let method = try #require(Method(rawValue: exchange.method))
    guard let json = exchange.json else { return try await send(method, target) }
    return try await send(method, target, json: json)
  }
}
