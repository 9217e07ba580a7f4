import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Writes to documents by somebody who does not see everything.
@Suite struct SchemalessRuleTests {
  private static let schema = """
    [{"name":"Log","schemaless":true},\
    {"name":"Note","primaryKey":"id","properties":{"id":"int","owner":"string"}}]
    """
  private static let roles = """
    {"member":{"classes":{"Log":{"read":"owner == 'me'","write":true},"Note":{"read":"owner == 'me'"}}}}
    """
  private static let hidden = #"{"$ref":"Note","$id":1}"#
  private static let document = #"{"_id":"p","a":{"x":\#(hidden)},"owner":"me"}"#

  private func with(
    _ body: (
      _ send: (GatehouseHTTP.Method, String, String) async throws -> Answer,
      _ whole: () async throws -> String
    )
      async throws -> Void
  ) async throws {
    try await Fixture.with(Self.schema) { fixture in
      for (path, json) in [("Note", #"{"id":1,"owner":"you"}"#), ("Log", Self.document)] {
        let answer = try await fixture.send(.post, "/v1/collections/\(path)", json: json)
        try #require(answer.status == 201, "\(answer.text)")
      }
      let (admin, member) = try await fixture.callers(under: Self.roles)
      try await body(
        { method, type, json in
          let fields = member.merging(["content-type": type]) { $1 }
          return try await fixture.send(method, "/v1/collections/Log/p", fields, Array(json.utf8))
        },
        { try await fixture.send(.get, "/v1/collections/Log/p", admin).text })
    }
  }

  @Test(arguments: [
    (
      GatehouseHTTP.Method.patch, "application/merge-patch+json", #"{"n":1}"#,
      #"{"_id":"p","a":{"x":\#(hidden)},"n":1,"owner":"me"}"#
    ),
    (
      .patch, "application/json-patch+json", #"[{"op":"add","path":"/n","value":1}]"#,
      #"{"_id":"p","a":{"x":\#(hidden)},"n":1,"owner":"me"}"#
    ),
    (.put, "application/json", #"{"_id":"p","a":{"x":null},"owner":"me"}"#, document),
    (.put, "application/json", #"{"owner":"me","x":null}"#, #"{"_id":"p","owner":"me","x":null}"#),
  ])
  func `documents are changed, and links that are hidden stay where they are`(
    method: GatehouseHTTP.Method, type: String, json: String, stored: String
  ) async throws {
    try await with { send, whole in
      let answer = try await send(method, type, json)
      #expect(answer.status == 200 && !answer.text.contains("$ref"), "\(answer.text)")
      #expect(try await whole() == stored)
    }
  }
}
