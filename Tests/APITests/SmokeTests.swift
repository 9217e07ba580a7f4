import HTTP
import Testing
@testable import API

@Test func `smoke`() async throws {
  try await Fixture.with { fixture in
    try await fixture.populate()
    for (m, t, f, b) in [
      ("GET", "/v1/collections/City/1", [:], nil),
      ("GET", "/v1/collections/City/1", ["accept": "application/ejson"], nil),
      ("GET", "/v1/collections", [:], nil),
      ("GET", "/v1/collections/City/1?expand=country", [:], nil),
      ("GET", "/v1/collections/Country/JP?fields=name,cities", [:], nil),
      ("POST", "/v1/collections/Note", [:], #"{"text":"a"}"#),
      ("POST", "/v1/collections/Note", [:], #"[]"#),
      ("PUT", "/v1/collections/City/9", [:], #"{"name":"X"}"#),
      ("PATCH", "/v1/collections/City/9", [:], #"{"name":"Y"}"#),
      ("DELETE", "/v1/collections/City/9", [:], nil),
      ("DELETE", "/v1/collections/City/9", [:], nil),
      ("GET", "/v1/schema/City", [:], nil),
      ("GET", "/v1/collections/City?limt=3", [:], nil),
    ] as [(String, String, [String: String], String?)] {
      let a = b == nil ? try await fixture.send(.init(rawValue: m)!, t, f) : try await fixture.send(.init(rawValue: m)!, t, f, json: b!)
      print(m, t, "->", a.status, a.fields, a.text)
    }
  }
}
