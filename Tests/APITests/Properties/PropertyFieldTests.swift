import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

private let shown: [Exchange] = [
  .get("boxes?fields=id,n", #"{"me":{"id":1,"n":5},"two":{"id":2,"n":6}}"#),
  .get("boxes?fields=n&limit=1", #"{"me":{"n":5}}"#), .get("row?fields=n", #"[{"n":6},{"n":5}]"#),
  .get("row?fields=n&sort=n", #"[{"n":5},{"n":6}]"#),
  .get("row?fields=n&filter=n%20%3D%206", #"[{"n":6}]"#),
  .get("boxes?only=values&fields=n", #"[{"n":5},{"n":6}]"#),
  .get("row/0?fields=id,link", #"{"id":2,"link":null}"#),
  .get("link?fields=n", #"{"n":6}"#), .get("link?fields=n,holders.n", #"{"n":6,"holders":[{"n":5}]}"#),
  .get("row?fields=id,link.n", #"[{"id":2,"link":null},{"id":1,"link":{"n":6}}]"#),
  .get("row?fields=twice:link.n", #"[{"twice":null},{"twice":6}]"#),
  .get("boxes/two?fields=note", #"{"note":null}"#), .get("inners?fields=x", #"{"i":{"x":7}}"#),
  .get("inner?fields=tags", #"{"tags":["t"]}"#), .get("link/link?fields=n", "null"),
  .bad("GET", "list?fields=n", 400, "invalid_parameter"),
  .bad("GET", "n?expand=x", 400, "invalid_parameter"),
  .bad("GET", "row?fields=none", 400, "invalid_query"),
  .bad("GET", "row?fields=n&aggregate=@count", 400, "contradictory_parameters"),
  .bad("GET", "row?fields=n&contains=1", 400, "invalid_parameter"),
]

@Test(arguments: shown)
func `links and collections of links show fields of the objects`(exchange: Exchange) async throws {
  try await withBoxObjects { fixture in
    let answer = try await fixture.send(exchange)
    #expect(answer.status == exchange.status, "\(answer.text)")
    if exchange.status == 200 {
      #expect(answer.text == exchange.text)
      #expect(answer.fields["etag"] == nil)
    } else {
      #expect(answer.code == exchange.text)
    }
  }
}

@Test func `expanded links stand in place of primary keys`() async throws {
  try await withBoxObjects { fixture in
    let answer = try await fixture.send(.get, "/v1/collections/Box/1/boxes?expand=link")
    let document = try answer.document
    guard case .document(let me)? = document["me"], case .document(let link)? = me["link"] else {
      Issue.record("\(answer.text)")
      return
    }
    #expect(link["n"] == .int32(6) || link["n"] == .int64(6))
  }
}
