import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import Testing

@testable import GatehouseAPI

@Suite struct FindTests {
  @Test(arguments: [
    ("", "[1,2,3,4]"),
    ("filter=population%20%3E%203000000", "[1,2]"),
    ("filter=country.name%20%3D%3D%20%22Japan%22&sort=-population", "[1,4]"),
    ("filter=country.name%20%3D%3D%20$0&args=%5B%22Japan%22%5D&sort=name", "[4,1]"),
    ("filter=name+BEGINSWITH+%22P%22", "[3]"),
    ("filter=population+IN+$0&args=[[2138551,3426354]]", "[2,3]"),
    ("filter=TRUEPREDICATE+SORT(name+ASC)+LIMIT(2)", "[2,4]"),
    ("sort=name&limit=2", "[2,4]"),
    ("sort=country.code,-name", "[2,3,1,4]"),
    ("distinct=country", "[1,2,3]"),
  ])
  func `a query finds its objects in order`(query: String, ids: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.get, "/v1/collections/City?fields=_id&\(query)")
      #expect(answer.status == 200, "\(answer.text)")
      #expect(
        answer.text == "["
          + ids.dropFirst().dropLast().split(separator: ",").map { "{\"_id\":\($0)}" }
          .joined(separator: ",") + "]")
    }
  }

  @Test func `each representation puts objects together in its way`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let path = "/v1/collections/Country?fields=code&sort=code"
      let json = try await fixture.send(.get, path)
      #expect(json.text == #"[{"code":"DE"},{"code":"FR"},{"code":"JP"}]"#)
      #expect(json.fields == ["content-type": "application/json", "vary": "accept"])
      let lines = try await fixture.send(.get, path, ["accept": "application/x-ndjson"])
      #expect(lines.text == "{\"code\":\"DE\"}\n{\"code\":\"FR\"}\n{\"code\":\"JP\"}\n")
      #expect(lines.fields["content-type"] == "application/x-ndjson")
      let binary = try await fixture.send(.get, path, ["accept": "application/bson"])
      let documents: [Document] = [["code": "DE"], ["code": "FR"], ["code": "JP"]]
      #expect(binary.content == (try documents.flatMap { try $0.bson() }))
      let counts = try await fixture.send(.get, "/v1/collections", ["accept": "application/x-ndjson"])
      #expect(
        counts.text == """
          {"class":"Country","count":3}
          {"class":"City","count":4}
          {"class":"Note","count":0}
          {"class":"Device","count":0}

          """)
    }
  }

  @Test(arguments: ["sort=name", "sort=-population,name", "", "sort=country.name", "filter=_id>0&sort=-_id"])
  func `pages follow each other by their links`(query: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let whole = try await fixture.send(.get, "/v1/collections/City?\(query)")
      var pages: [Value] = []
      var next: String? = "/v1/collections/City?limit=1&\(query)"
      while let target = next {
        let page = try await fixture.send(.get, target)
        guard case .array(let objects) = try Value(json: page.content) else { break }
        pages += objects
        next = page.fields["link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
        if let link = page.fields["link"] { #expect(link.hasSuffix(">; rel=\"next\"")) }
      }
      #expect(pages.count == 4)
      #expect(try .array(pages) == Value(json: whole.content))
    }
  }

  @Test func `a page stays where it is while objects come and go`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let first = try await fixture.send(.get, "/v1/collections/City?fields=_id&limit=2&sort=_id")
      let next = try #require(first.fields["link"]).dropFirst().prefix { $0 != ">" }
      _ = try await fixture.send(.delete, "/v1/collections/City/2")
      _ = try await fixture.send(.put, "/v1/collections/City/0", json: #"{"name":"x"}"#)
      #expect(try await fixture.send(.get, String(next)).text == #"[{"_id":3},{"_id":4}]"#)
    }
  }

  @Test func `a total comes on request only`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let path = "/v1/collections/City?limit=1&filter=country.code==%22JP%22"
      #expect(try await fixture.send(.get, path).fields["total-count"] == nil)
      let counted = try await fixture.send(.get, path, ["prefer": "count=exact"])
      #expect(counted.fields["total-count"] == "2")
      #expect(counted.fields["preference-applied"] == "count=exact")
    }
  }

  @Test func `NDJSON is streamed past the largest page`() async throws {
    try await Fixture.with(limits: RequestLimits(defaultPageSize: 2, largestPageSize: 2)) { fixture in
      let many = (0..<7).map { "{\"text\":\"\($0)\"}" }.joined(separator: "\n")
      let created = try await fixture.send(
        .post, "/v1/collections/Note", ["content-type": "application/x-ndjson"], Array(many.utf8))
      #expect(created.status == 201)
      let accept = ["accept": "application/x-ndjson"]
      let all = try await fixture.send(.get, "/v1/collections/Note?fields=text", accept)
      #expect(all.text == many + "\n")
      #expect(all.fields["link"] == nil)
      let five = try await fixture.send(.get, "/v1/collections/Note?fields=text&limit=5", accept)
      #expect(five.text.split(separator: "\n").count == 5)
      let json = try await fixture.send(.get, "/v1/collections/Note?fields=text")
      #expect(json.text == #"[{"text":"0"},{"text":"1"}]"#)
    }
  }

  @Test(arguments: [
    ("filtre=x", "unknown_parameter"), ("mode=all", "unknown_parameter"), ("=x", "unknown_parameter"),
    ("sort=name&sort=_id", "repeated_parameter"),
    ("limit=0", "limit_out_of_range"), ("limit=1001", "limit_out_of_range"),
    ("limit=x", "limit_out_of_range"),
    ("args=%7B%7D", "invalid_parameter"), ("args=[1,", "malformed_arguments"),
    ("cursor=abc", "invalid_cursor"), ("cursor=", "invalid_cursor"),
    ("filter=name+%3D%3D", "invalid_query"), ("filter=nam+%3D%3D+1", "invalid_query"),
    ("sort=nam", "invalid_query"),
    ("filter=name+%3D%3D+$3", "invalid_query"), ("fields=nope", "invalid_query"),
    ("expand=name", "invalid_query"),
    ("filter=%zz", "malformed_target"), ("filter=%ff", "malformed_target"),
  ])
  func `what is wrong with a query has a code`(query: String, code: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, "/v1/collections/City?\(query)")
      #expect((answer.status, answer.code) == (400, code), "\(answer.text)")
    }
  }

  @Test func `a mistake in the filter is pointed at, and the filter not quoted`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .get, "/v1/collections/City?filter=name+%3D%3D+%22secret%22+AND+populaton+%3E+3")
      #expect(
        answer.text == """
          {"type":"about:blank","title":"Bad Request","status":400,\
          "detail":"The parameter “filter” is no query (byte 21). Class “City” has no such property; did you mean “population”?",\
          "code":"invalid_query",\
          "requestId":"0000000000000000",\
          "parameter":"filter","offset":21,"found":"a name","expected":["a property"],"nearest":"population",\
          "errors":[{"parameter":"filter","offset":21,"found":"a name","expected":["a property"],\
          "nearest":"population","code":"unknown_property","detail":"Class “City” has no such property; did you mean “population”?"}]}
          """)
    }
  }

  @Test(arguments: [
    (
      "filter=name+%3D%3D+%22x%22+name",
      #""offset":12,"found":"a name","expected":["AND","OR","SORT","DISTINCT","LIMIT","the end"]"#
    ),
    ("filter=name+%3D%3D", #""offset":7,"found":"the end","expected":["a value"]"#),
    ("filter=name+%3D%3D+%22x", #""offset":8,"found":"the end","expected":["a closing quote"]"#),
    ("filter=population+%3D%3D+%22x%22", #""offset":11,"found":"string","expected":["int"]"#),
    ("filter=population+LIKE+3", #""offset":11,"found":"LIKE""#),
    ("filter=ALL+population+%3D%3D+3", #""offset":4,"found":"ALL","expected":["a path to many values"]"#),
    ("sort=nam", #""offset":0,"found":"a name","expected":["a property"],"nearest":"name""#),
    ("filtre=x", #""nearest":"filter""#),
  ])
  func `what stands at the offset and what should are members of the problem`(query: String, members: String)
    async throws
  {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, "/v1/collections/City?\(query)")
      let parameter = query.prefix { $0 != "=" }
      let problem = answer.text.split(separator: #","errors":"#, maxSplits: 1)
      #expect(problem[0].hasSuffix(#","parameter":"\#(parameter)",\#(members)"#), "\(answer.text)")
      #expect(answer.text.contains(#""errors":[{"parameter":"\#(parameter)",\#(members),"code""#))
    }
  }

  @Test func `a cursor of another query is refused`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let page = try await fixture.send(.get, "/v1/collections/City?limit=1&sort=name")
      let link = try #require(page.fields["link"])
      let cursor = try #require(link.split(separator: "cursor=").last).prefix { $0 != ">" }
      let same = try await fixture.send(
        .get, "/v1/collections/City?sort=name&limit=3&fields=_id&cursor=\(cursor)")
      #expect(same.text == #"[{"_id":4},{"_id":3},{"_id":1}]"#)
      for target in ["City?sort=-name", "City?", "City?sort=name&filter=_id%3E1", "Country?sort=name"] {
        let other = try await fixture.send(.get, "/v1/collections/\(target)&cursor=\(cursor)")
        #expect((other.status, other.code) == (400, "foreign_cursor"))
      }
      let changed = try await fixture.send(
        .get, "/v1/collections/City?sort=name&cursor=\(cursor.dropLast())B")
      #expect((changed.status, changed.code) == (400, "invalid_cursor"))
    }
  }

  @Test(
    arguments: [
      [], [.null], [.int(1)], [.string("\u{0}"), .string("x")], [.list([])],
      [.data([0xFF]), .null, .double(.nan)],
    ] as [[Mixed]])
  func `a forged cursor is refused or begins elsewhere, and does no harm`(values: [Mixed]) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      for sort in ["name", "-country.name", "population,-name"] {
        let parameters = try Parameters([("sort", sort)], known: [.sort])
        let token = CursorToken(
          objectType: "City", try QueryParameters(parameters, PageLimit(.json, RequestLimits())))
        let text = token.text(of: Cursor(values: values, key: ObjectKey(-1)))
        let answer = try await fixture.send(.get, "/v1/collections/City?sort=\(sort)&cursor=\(text)")
        #expect(answer.status == 200 || answer.text.contains(#""code":"invalid_cursor""#), "\(answer.text)")
      }
      #expect(try await fixture.send(.get, "/readyz").status == 200)
    }
  }
}
