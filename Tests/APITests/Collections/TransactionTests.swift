import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct TransactionTests {
  private static let path = "/v1/transactions"

  @Test func `operations on several classes make one version`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(
        .post, TransactionTests.path,
        json: """
          {"operations":[
            {"op":"create","class":"City","value":{"_id":5,"name":"Rome","country":"IT"}},
            {"op":"create","class":"Country","value":{"code":"IT","name":"Italy"}},
            {"op":"create","class":"Country","value":{"code":"FR","population":7},"mode":"modified"},
            {"op":"create","class":"Country","value":{"code":"JP","name":"Japan"},"mode":"modified"},
            {"op":"update","class":"City","id":2,"set":{"name":"Bonn"},"ifVersion":3},
            {"op":"update","class":"City","id":2,"edit":{"$inc":{"population":1}}},
            {"op":"update","class":"City","id":2,"patch":[{"op":"test","path":"/name","value":"Bonn"}]},
            {"op":"put","class":"Note","id":9,"value":{"text":"n"}},
            {"op":"delete","class":"City","id":1,"ifVersion":3}]}
          """)
      #expect(answer.status == 200, "\(answer.text)")
      #expect(
        answer.text == """
          {"version":4,"results":[\
          {"op":"create","class":"City","id":5,"version":4,"effect":"created"},\
          {"op":"create","class":"Country","id":"IT","version":4,"effect":"created"},\
          {"op":"create","class":"Country","id":"FR","version":4,"effect":"updated"},\
          {"op":"create","class":"Country","id":"JP","version":2,"effect":"unchanged"},\
          {"op":"update","class":"City","id":2,"version":4,"effect":"updated"},\
          {"op":"update","class":"City","id":2,"version":4,"effect":"updated"},\
          {"op":"update","class":"City","id":2,"version":4,"effect":"unchanged"},\
          {"op":"put","class":"Note","id":9,"version":4,"effect":"created"},\
          {"op":"delete","class":"City","id":1,"version":4,"effect":"deleted"}]}
          """)
      #expect(
        answer.fields == ["content-type": "application/json", "realm-version": "4", "vary": "accept"])
      #expect(try await fixture.send(.get, "/v1/collections/City/5").document["country"] == "IT")
      #expect(
        try await fixture.send(.get, "/v1/collections/City/2?fields=population").text
          == #"{"population":3426355}"#)
      #expect(try await fixture.send(.get, "/v1/collections/City/1").status == 404)
    }
  }

  @Test func `no operations make no version`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.post, TransactionTests.path, json: #"{"operations":[]}"#)
      #expect(answer.text == #"{"version":1,"results":[]}"#)
      let minimal = try await fixture.send(
        .post, TransactionTests.path, ["prefer": "return=minimal"], json: #"{"operations":[]}"#)
      #expect(minimal.status == 204)
      #expect(minimal.fields == ["preference-applied": "return=minimal", "realm-version": "1"])
    }
  }

  private static let first = #"{"op":"create","class":"Note","value":{"text":"first"}}"#

  @Test(
    arguments: [
      (
        #"{"op":"create","class":"City","value":{"_id":1,"name":"x"}}"#, 409, "object_exists", "/operations/1"
      ),
      (
        #"{"op":"update","class":"City","id":99,"set":{"name":"x"}}"#, 404, "object_not_found",
        "/operations/1"
      ),
      (
        #"{"op":"update","class":"City","id":1,"set":{"name":"x"},"ifVersion":2}"#, 412,
        "precondition_failed",
        "/operations/1"
      ),
      (
        #"{"op":"update","class":"City","id":1,"set":{"country":"XX"}}"#, 409, "link_target_not_found",
        "/operations/1/set/country"
      ),
      (
        #"{"op":"update","class":"City","id":1,"set":{"_id":2}}"#, 422, "primary_key_changed", "/operations/1"
      ),
      (
        #"{"op":"update","class":"City","id":1,"patch":[{"op":"test","path":"/name","value":"x"}]}"#, 409,
        "patch_test_failed", "/operations/1/patch/0"
      ),
      (
        #"{"op":"update","class":"City","id":1,"edit":{"$inc":{"population":9223372036854775807}}}"#, 422,
        "invalid_object", "/operations/1/edit/$inc/population"
      ),
      (
        #"{"op":"update","class":"City","id":1,"edit":{"$inc":{"name":1}}}"#, 422, "invalid_object",
        "/operations/1/edit/$inc/name"
      ),
      (
        #"{"op":"update","class":"City","id":1,"set":{"name":7}}"#, 422, "invalid_object",
        "/operations/1/set/name"
      ),
      (
        #"{"op":"create","class":"City","value":{"_id":7}}"#, 422, "invalid_object",
        "/operations/1/value/name"
      ),
      (
        #"{"op":"create","class":"City","value":{"_id":7},"mode":"all"}"#, 422, "invalid_object",
        "/operations/1/value/name"
      ),
      (
        #"{"op":"put","class":"City","id":"x","value":{"name":"x"}}"#, 422, "invalid_object",
        "/operations/1/id"
      ),
      (#"{"op":"create","class":"Nope","value":{}}"#, 422, "invalid_transaction", "/operations/1/class"),
      (#"{"op":"create","class":"Location","value":{}}"#, 422, "invalid_transaction", "/operations/1/class"),
      (#"{"op":"create","class":"Note"}"#, 422, "invalid_transaction", "/operations/1/value"),
      (#"{"op":"create","class":"Note","value":{},"id":1}"#, 422, "invalid_transaction", "/operations/1/id"),
      (
        #"{"op":"create","class":"Note","value":{},"mode":"some"}"#, 422, "invalid_transaction",
        "/operations/1/mode"
      ),
      (#"{"op":"update","class":"City","id":1}"#, 422, "invalid_transaction", "/operations/1/set"),
      (
        #"{"op":"update","class":"City","id":1,"set":{},"edit":{}}"#, 422, "invalid_transaction",
        "/operations/1/edit"
      ),
      (
        #"{"op":"delete","class":"City","id":1,"ifVersion":"1"}"#, 422, "invalid_transaction",
        "/operations/1/ifVersion"
      ),
      (#"{"op":"frob"}"#, 422, "invalid_transaction", "/operations/1/op"),
      (#"{}"#, 422, "invalid_transaction", "/operations/1/op"),
      (#"7"#, 422, "invalid_transaction", "/operations/1"),
    ] as [(String, UInt16, String, String)])
  func `one operation that fails undoes all`(
    second: String, status: UInt16, code: String, pointer: String
  ) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let answer = try await fixture.send(
        .post, TransactionTests.path, json: #"{"operations":[\#(TransactionTests.first),\#(second)]}"#)
      #expect(answer.status == status, "\(answer.text)")
      #expect(answer.code == code)
      #expect(answer.pointers == [pointer])
      #expect(try await fixture.everything() == before)
    }
  }

  @Test(arguments: [
    ("[]", ""), ("{}", "/operations"), (#"{"operations":{}}"#, "/operations"),
    (#"{"operations":[],"a/b":1}"#, "/a~1b"),
  ])
  func `what is no transaction is refused`(content: String, pointer: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.post, TransactionTests.path, json: content)
      #expect(answer.status == 422)
      #expect(answer.code == "invalid_transaction")
      #expect(answer.pointers == [pointer])
    }
  }
}
