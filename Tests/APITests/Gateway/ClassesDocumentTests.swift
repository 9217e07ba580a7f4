import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import Testing

@testable import GatehouseAPI

@Suite struct ClassesDocumentTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"id","properties":{"id":"int","text":"string?","secret":"string?","stars":"int?"}},\
    {"name":"Order","properties":{"total":"decimal128","to":"Address"}},\
    {"name":"Address","embedded":true,"properties":{"street":"string?"}},\
    {"name":"Hidden","properties":{"x":"int","where":"Place"}},\
    {"name":"Place","embedded":true,"properties":{"y":"int"}}]
    """
  private static let roles = """
    {"member":{"classes":{"Note":{"read":true,"write":true,"fields":{"secret":{"read":false},"stars":{"write":false}}},\
    "Order":{"write":true},"Hidden":{}}},"reader":{"classes":{"Order":{"read":"total > 5"}}},"nobody":{"classes":{}}}
    """

  private func document(_ format: String, as role: String? = nil) async throws -> Document {
    let fixture = try await Fixture(Self.schema)
    #expect(try await fixture.send(.put, "/v1/roles", json: Self.roles).status == 200)
    var fields: [String: String] = [:]
    if let role {
      let key = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: []).text
      fields["authorization"] = "Bearer \(key)"
    }
    let answer = try await fixture.send(.get, "/v1/schema?format=\(format)", fields)
    await fixture.remove()
    try #require(answer.status == 200, "\(answer.text)")
    #expect(answer.fields["content-type"] == "application/json")
    // A property of that name is none of Extended JSON.
    let text = answer.text.split(separator: #""$numberDouble":{"#).joined(separator: #""numberDouble":{"#)
    guard case .document(let document) = try Value(json: Array(text.utf8)) else { return [:] }
    return document
  }

  private func names(_ document: Document, _ path: String...) -> [String] {
    var document = document
    for name in path {
      guard case .document(let next)? = document[name] else { return [] }
      document = next
    }
    return document.elements.map(\.key)
  }

  /// The operations, as `method path`.
  private func operations(_ document: Document) -> [String] {
    names(document, "paths").flatMap { path in
      names(document, "paths", path).filter { $0 != "parameters" }.map { "\($0) \(path)" }
    }
  }

  private static func all(_ name: String) -> [String] {
    ["get", "post", "patch", "delete"].map { "\($0) /v1/collections/\(name)" }
      + ["get", "put", "patch", "delete"].map { "\($0) /v1/collections/\(name)/{id}" }
  }

  @Test func `who may do everything sees every class and request`() async throws {
    let document = try await document("openapi")
    #expect(document["openapi"] == .string("3.1.0"))
    let expected = ["post /v1/query"] + ["Note", "Order", "Hidden"].flatMap { Self.all($0) }
    #expect(operations(document).sorted() == expected.sorted())
    let definitions = try await self.document("jsonschema")
    let schemas = names(document, "components", "schemas").filter {
      !$0.hasPrefix("type.") && !$0.hasSuffix(".id")
    }
    #expect(names(definitions, "$defs").filter { !$0.hasPrefix("type.") } == schemas)
    #expect(schemas.contains("Place.patch"))
  }

  @Test func `a caller sees what their role lets them do`() async throws {
    let document = try await document("openapi", as: "member")
    let expected = ["post /v1/query", "post /v1/collections/Order"] + Self.all("Note")
    #expect(operations(document).sorted() == expected.sorted())
    let schemas = names(document, "components", "schemas")
    #expect(
      schemas == [
        "type.count", "type.problem", "type.double", "Note", "Note.create", "Note.replace", "Note.patch",
        "Order.create",
        "Address.create", "Note.id", "type.query", "type.object",
      ])
    #expect(names(document, "components", "schemas", "Note", "properties") == ["id", "text", "stars"])
    #expect(names(document, "components", "schemas", "Note.patch", "properties") == ["text"])
    let text = String(decoding: Value.document(document).plainJSON, as: UTF8.self)
    for word in ["secret", "Hidden", "Place"] { #expect(!text.contains(word), "\(word)") }
    // A caller who writes orders, and reads none, is shown none.
    #expect(!text.contains(##""#/components/schemas/Order""##))
  }

  @Test func `a reader has no requests that write`() async throws {
    let document = try await document("openapi", as: "reader")
    #expect(
      operations(document).sorted() == [
        "get /v1/collections/Order", "get /v1/collections/Order/{id}", "post /v1/query",
      ])
    #expect(
      names(try await self.document("jsonschema", as: "reader"), "$defs") == [
        "type.double", "Order", "Address",
      ])
  }

  @Test func `who may do nothing has an empty document`() async throws {
    #expect(try await operations(document("openapi", as: "nobody")) == [])
    #expect(try await names(document("jsonschema", as: "nobody"), "$defs") == ["type.double"])
  }

  @Test func `names of classes are encoded in paths`() throws {
    let schema = try Schema(
      notation: Value(json: #"[{"name":"Größe %","properties":{"{{path}}":"int"}}]"#))
    guard case .document(let document) = ClassesDocument(schema).value(as: .openAPI) else {
      Issue.record("no document")
      return
    }
    #expect(
      names(document, "paths") == [
        "/v1/query", "/v1/collections/Gr%C3%B6%C3%9Fe%20%25", "/v1/collections/Gr%C3%B6%C3%9Fe%20%25/{id}",
      ])
    #expect(names(document, "components", "schemas").contains("Gr.C3.B6.C3.9Fe.20.25"))
  }

  @Test(
    arguments: [
      ("?format=yaml", "application/json", 400, "invalid_parameter"),
      ("?format=", "application/json", 400, "invalid_parameter"),
      ("?format=openapi", "application/bson", 406, "not_acceptable"),
      ("?format=jsonschema", "application/ejson", 406, "not_acceptable"),
    ] as [(String, String, UInt16, String)])
  func `a form that there is not is refused`(query: String, accept: String, status: UInt16, code: String)
    async throws
  {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, "/v1/schema\(query)", ["accept": accept])
      #expect((answer.status, answer.code) == (status, code))
    }
  }
}
