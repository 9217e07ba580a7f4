import Testing

@testable import GatehouseAPI

@Suite struct ParametersTests {
  @Test func `known parameters are kept in order`() throws {
    let parameters = try Parameters([("sort", "-a"), ("limit", "")], known: [.limit, .sort])
    #expect(parameters[.sort] == "-a")
    #expect(parameters[.limit] == "")
    #expect(parameters[.filter] == nil)
  }

  @Test(
    arguments: [
      ("filtr", "filter"), ("Filter", "filter"), ("fitler", "filter"), ("lmit", "limit"), ("expnd", "expand"),
      ("x", nil), ("population", nil), ("", nil), (String(repeating: "filter", count: 9), nil),
    ] as [(String, String?)])
  func `an unknown parameter is told the nearest known one`(name: String, nearest: String?) {
    let known: [Parameters.Name] = [.filter, .limit, .expand]
    #expect(throws: APIError.unknownParameter(name: name, nearest: nearest, known: known)) {
      try Parameters([(name, "1")], known: known)
    }
  }

  @Test func `a parameter of another endpoint is unknown, a second one refused`() {
    #expect(throws: APIError.unknownParameter(name: "mode", nearest: nil, known: [.filter])) {
      try Parameters([("mode", "all")], known: [.filter])
    }
    #expect(throws: APIError.repeatedParameter(.filter)) {
      try Parameters([("filter", "a"), ("filter", "a")], known: [.filter])
    }
  }

  @Test func `a flag is true or false`() throws {
    #expect(try Parameters([], known: []).flag(.destructive) == false)
    #expect(try Parameters([("destructive", "true")], known: [.destructive]).flag(.destructive))
    #expect(throws: APIError.invalidParameter(.destructive)) {
      try Parameters([("destructive", "TRUE")], known: [.destructive]).flag(.destructive)
    }
  }

  @Test func `the next page has the same query but for the cursor`() throws {
    let parameters = try Parameters(
      [("cursor", "old"), ("filter", "a == \"é<&\""), ("limit", "5")], known: [.filter, .limit, .cursor])
    #expect(
      parameters.linkToNextPage(at: "/v1/x", .cursor, "new")
        == #"</v1/x?filter=a%20%3D%3D%20%22%C3%A9%3C%26%22&limit=5&cursor=new>; rel="next""#)
  }
}
