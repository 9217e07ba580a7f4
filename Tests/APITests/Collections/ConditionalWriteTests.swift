import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Stores in which some objects may only be changed by those who know their version.
@Suite struct ConditionalWriteTests {
  @Test(arguments: [.put, .patch, .delete] as [GatehouseHTTP.Method])
  func `a write without condition is refused`(method: GatehouseHTTP.Method) async throws {
    try await Fixture.with(conditionalWrites: .requiredFor(["City"])) { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let refused = try await fixture.send(method, "/v1/collections/City/2", json: #"{"name":"Bonn"}"#)
      #expect(refused.status == 428)
      #expect(refused.code == "precondition_required")
      #expect(try await fixture.everything() == before)
      let done = try await fixture.send(
        method, "/v1/collections/City/2", ["if-match": "\"3\""], json: #"{"name":"Bonn"}"#)
      #expect(done.status == (method == .delete ? 204 : 200))
      // Another class.
      let other = try await fixture.send(method, "/v1/collections/Country/DE", json: #"{"name":"D"}"#)
      #expect(other.status == (method == .delete ? 204 : 200))
    }
  }

  @Test func `a transaction needs versions too`() async throws {
    try await Fixture.with(conditionalWrites: .required) { fixture in
      try await fixture.populate()
      let delete = #"{"op":"delete","class":"City","id":1"#
      let refused = try await fixture.send(.post, "/v1/transactions", json: #"{"operations":[\#(delete)}]}"#)
      #expect(refused.status == 428)
      #expect(refused.pointers == ["/operations/0"])
      let done = try await fixture.send(
        .post, "/v1/transactions", json: #"{"operations":[\#(delete),"ifVersion":3}]}"#)
      #expect(done.status == 200)
    }
  }

  @Test func `creating is no overwriting`() async throws {
    try await Fixture.with(conditionalWrites: .required) { fixture in
      #expect(try await fixture.send(.post, "/v1/collections/Note", json: "{}").status == 201)
      let put = try await fixture.send(.put, "/v1/collections/Note/5", ["if-none-match": "*"], json: "{}")
      #expect(put.status == 201)
    }
  }
}
