import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Values that BSON cannot hold, by every way in: keys with a zero byte, and subtypes that a mixed value would lose.
@Suite struct IllegalKeyTests {
  private static let schema = """
    [{"name":"A","primaryKey":"_id","properties":{"_id":"int","map":"int{}","extra":"mixed","extras":"mixed[]","raw":"data?","e":"E?"}},\
    {"name":"E","embedded":true,"properties":{"m":"string{}"}}]
    """
  private static let all = "/v1/collections/A"
  private static let one = "/v1/collections/A/1"

  struct Way: Sendable {
    let method: GatehouseHTTP.Method
    let target: String
    let type: String
    let content: String

    init(
      _ method: GatehouseHTTP.Method, _ target: String, _ content: String,
      as type: String = "application/json"
    ) {
      (self.method, self.target, self.content, self.type) = (method, target, content, type)
    }
  }

  @Test(arguments: [
    Way(.post, all, #"{"_id":2,"map":{"a\u0000b":1}}"#),
    Way(.post, all, #"[{"_id":2},{"_id":3,"extra":[{"\u0000":1}]}]"#),
    Way(.post, all, #"{"_id":2,"e":{"m":{"\u0000":"x"}}}"#), Way(.put, one, #"{"_id":1,"map":{"\u0000":1}}"#),
    Way(.post, all, "{\"_id\":2}\n{\"_id\":3,\"extra\":{\"\\u0000\":1}}\n", as: "application/x-ndjson"),
    Way(.patch, one, #"{"map":{"a\u0000":1}}"#, as: "application/merge-patch+json"),
    Way(.patch, one, #"{"extra":{"a\u0000":1}}"#, as: "application/merge-patch+json"),
    Way(.patch, one, #"[{"op":"add","path":"/map/a\u0000","value":1}]"#, as: "application/json-patch+json"),
    Way(.patch, one, #"[{"op":"add","path":"/extra/a\u0000","value":1}]"#, as: "application/json-patch+json"),
    Way(
      .patch, one, #"[{"op":"add","path":"/extras/0","value":{"a\u0000":1}}]"#,
      as: "application/json-patch+json"),
    Way(.patch, one, #"{"$set":{"map.a\u0000":1}}"#), Way(.patch, one, #"{"$set":{"extra.a\u0000":1}}"#),
    Way(.patch, one, #"{"$push":{"extras":{"a\u0000":1}}}"#),
    Way(.patch, "\(all)?filter=TRUEPREDICATE", #"{"map":{"a\u0000":1}}"#, as: "application/merge-patch+json"),
    Way(.put, "\(one)/map", #"{"a\u0000":1}"#), Way(.put, "\(one)/extra", #"{"a\u0000":1}"#),
    Way(.patch, "\(one)/map", #"{"a\u0000":1}"#), Way(.post, "\(one)/extras", #"{"a\u0000":1}"#),
    Way(.put, "\(one)/map/a%00b", "1"), Way(.put, "\(one)/extra/a%00b", "1"),
    Way(.put, "\(one)/extra/k/a%00b", "1"),
    Way(
      .post, "/v1/transactions",
      #"{"operations":[{"op":"create","class":"A","value":{"_id":2,"map":{"a\u0000":1}}}]}"#),
  ])
  func `a key with a zero byte is refused, and nothing written`(way: Way) async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, Self.all, json: #"{"_id":1,"extra":{"k":{}}}"#)
      let before = try await fixture.everything()
      let answer = try await fixture.send(
        way.method, way.target, ["content-type": way.type], Array(way.content.utf8))
      // No URL has one, either.
      let code = way.target.contains("%00") ? "malformed_target" : "illegal_key"
      #expect((400...422).contains(answer.status) && answer.text.contains(code), "\(answer.text)")
      if answer.status == 422 { #expect(answer.code == code) }
      #expect(try await fixture.everything() == before)
    }
  }

  @Test(arguments: [
    Way(.post, all, #"{"_id":2,"extra":DEEP}"#), Way(.patch, one, #"{"extra":DEEP}"#),
    Way(.patch, one, #"{"$set":{"extra":DEEP}}"#), Way(.put, "\(one)/extra", "DEEP"),
    Way(
      .post, "/v1/transactions",
      #"{"operations":[{"op":"create","class":"A","value":{"_id":2,"extra":DEEP}}]}"#),
  ])
  func `what is nested too deeply is refused, and said to be that`(way: Way) async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, Self.all, json: #"{"_id":1,"extra":{"k":{}}}"#)
      let before = try await fixture.everything()
      for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
        let deep = String(repeating: open, count: 200) + "1" + String(repeating: close, count: 200)
        let answer = try await fixture.send(
          way.method, way.target, json: way.content.replacing("DEEP", with: deep))
        #expect((400...422).contains(answer.status), "\(answer.text)")
        #expect(answer.errors?.contains(#""code":"too_deep""#) == true, "\(answer.text)")
      }
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `subtypes that would be lost in a mixed value are refused`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      func send(_ subtype: String, _ property: String) async throws -> Answer {
        let data = #"{"$binary":{"base64":"AQI=","subType":"\#(subtype)"}}"#
        return try await fixture.send(
          .put, Self.one, json: #"{"_id":1,"\#(property)":\#(property == "extras" ? "[\(data)]" : data)}"#)
      }
      for property in ["extra", "extras"] {
        #expect(try await send("00", property).status < 300)
        let before = try await fixture.everything()
        for subtype in ["01", "02", "05", "80", "ff"] {
          let answer = try await send(subtype, property)
          #expect(answer.status == 422 && answer.text.contains("unsupported_subtype"), "\(answer.text)")
        }
        #expect(try await fixture.everything() == before)
      }
      // A property of type data says itself what it holds: bytes.
      #expect(try await send("05", "raw").status < 300)
      let filter = "/v1/collections/A?filter=extra%20%3D%3D%20%240&args="
      let argument =
        "%5B%7B%22%24binary%22%3A%7B%22base64%22%3A%22AQI%3D%22%2C%22subType%22%3A%2205%22%7D%7D%5D"
      #expect(try await fixture.send(.get, filter + argument).text.contains("argument_type_mismatch"))
    }
  }
}
