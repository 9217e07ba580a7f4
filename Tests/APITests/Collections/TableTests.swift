import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Objects as rows of CSV, in and out.
@Suite struct TableTests {
  private func post(_ fixture: Fixture, _ text: String, to name: String = "City") async throws -> Answer {
    try await fixture.send(
      .post, "/v1/collections/\(name)", ["content-type": "text/csv; charset=utf-8"], Array(text.utf8))
  }

  private func table(_ fixture: Fixture, _ target: String) async throws -> Answer {
    try await fixture.send(.get, target, ["accept": "text/csv"])
  }

  @Test func `rows are objects, and objects are rows`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await table(fixture, "/v1/collections/City?sort=_id")
      #expect(answer.fields["content-type"] == "text/csv")
      let rows = """
        _id,name,population,country,location.latitude,location.longitude,tags\r
        1,Tokyo,8336599,JP,35.5,139.5,[]\r
        2,Berlin,3426354,DE,,,"[""capital""]"\r
        3,Paris,2138551,FR,,,[]\r
        4,Osaka,2592413,JP,,,[]\r

        """
      #expect(answer.text == rows)
      let before = try await fixture.send(.get, "/v1/collections/City?sort=_id").text
      #expect(try await fixture.send(.delete, "/v1/collections/City?filter=TRUEPREDICATE").status == 200)
      let created = try await post(fixture, rows)
      #expect(created.status == 201)
      #expect(created.text == #"{"count":4,"ids":[1,2,3,4]}"#)
      #expect(try await fixture.send(.get, "/v1/collections/City?sort=_id").text == before)
    }
  }

  @Test(
    arguments: [
      (
        "fields=name,location.latitude&sort=_id&limit=2",
        "name,location.latitude\r\nTokyo,35.5\r\nBerlin,\r\n"
      ),
      ("fields=name,in:country.name&filter=_id==1", "name,in\r\nTokyo,Japan\r\n"),
      (
        "fields=name&expand=country&filter=_id==3",
        "name,country\r\nParis,\"{\"\"code\"\":\"\"FR\"\",\"\"name\"\":\"\"France\"\",\"\"population\"\":66987244,"
          + "\"\"neighbours\"\":[\"\"DE\"\"],\"\"names\"\":{}}\"\r\n"
      ),
      ("fields=name&filter=_id==9", "name\r\n"),
    ])
  func `columns are the fields that were asked for`(query: String, rows: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      #expect(try await table(fixture, "/v1/collections/City?\(query)").text == rows)
    }
  }

  @Test func `a long table has one header`() async throws {
    try await Fixture.with { fixture in
      let rows = (0..<3_000).map { "\($0),\(String(repeating: "n", count: 500))\r\n" }.joined()
      let created = try await post(fixture, "_id,name\r\n" + rows)
      #expect(created.status == 201)
      let answer = try await table(fixture, "/v1/collections/City?fields=_id,name")
      #expect(answer.text == "_id,name\r\n" + rows)
    }
  }

  @Test(arguments: ["aggregate=@count", "sectionBy=country", "explain=true"])
  func `a table has objects only`(query: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await table(fixture, "/v1/collections/City?\(query)")
      #expect(answer.status == 406)
      #expect(answer.code == "not_acceptable")
    }
  }

  @Test(
    arguments: [
      (
        "_id,name\n1,a\nx,b\n", 422, "invalid_object",
        #"{"pointer":"/1/_id","line":3,"code":"wrong_type","detail":"A value of type int is expected, not string: "#
          + #"a whole number without point, exponent and quotes, such as 5."}"#
      ),
      (
        "_id,name\n1,a\n1,b\n", 409, "object_exists",
        #"{"pointer":"/1","line":3,"code":"object_exists","detail":"Class “City” has an object with that primary key already."}"#
      ),
      (
        "_id,name,country\n\n1,\"a\nb\",\n2,c,XX\n", 409, "link_target_not_found",
        #"{"pointer":"/1/country","line":5,"code":"link_target_not_found","detail":"A link leads to an object of class “Country” that does not exist."}"#
      ),
      (
        "_id,nam\n1,a\n", 422, "invalid_object",
        #"{"pointer":"/nam","line":1,"code":"unknown_property","detail":"The class has no property of that name."}"#
      ),
      (
        "_id,name\n1\n", 400, "malformed_csv",
        #"{"offset":1,"line":2,"code":"field_count","detail":"There is 1 field, where the header has 2."}"#
      ),
      (
        "_id,name\n1,\"a\n", 400, "malformed_csv",
        #"{"offset":2,"line":2,"code":"unterminated_quote","detail":"A quote begins here that does not end."}"#
      ),
    ] as [(String, UInt16, String, String)])
  func `a bad row answers with its line and writes nothing`(
    text: String, status: UInt16, code: String, error: String
  ) async throws {
    try await Fixture.with { fixture in
      let answer = try await post(fixture, text)
      #expect(answer.status == status)
      #expect(answer.code == code)
      #expect(answer.errors == "[\(error)]")
      #expect(try await fixture.send(.get, "/v1/collections/City").text == "[]")
    }
  }

  @Test func `nothing is no object`() async throws {
    try await Fixture.with { fixture in
      for text in ["", "_id,name\r\n"] {
        let answer = try await post(fixture, text)
        #expect(answer.text == #"{"count":0,"ids":[]}"#)
      }
    }
  }

  @Test func `no class is made of a table`() async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      let answer = try await post(fixture, "_id\n1\n", to: "Unknown")
      #expect(answer.code == "unknown_class")
    }
  }

  @Test func `compressed JSON that does not say so is recognized`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/collections/City", ["content-type": "application/json"], [0x1F, 0x8B, 8, 0])
      let detail = "It is compressed by gzip; content is taken as it is only."
      #expect(answer.status == 400)
      #expect(answer.errors == #"[{"offset":0,"code":"gzip","detail":"\#(detail)"}]"#)
      #expect(try answer.document["detail"] == .string("The content is not JSON. \(detail)"))
    }
  }

  @Test(
    arguments: [
      ("[{\"_id\":1}]", "json_array"), ("_id,name\n1,a", "csv"),
      ("\u{10}\0\0\0\u{10}_id\0\u{1}\0\0\0\0", "bson"),
    ])
  func `what is not an object a line is recognized`(text: String, code: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/collections/City", ["content-type": "application/x-ndjson"], Array(text.utf8))
      #expect(answer.status == 400)
      #expect(answer.code == "malformed_json")
      #expect(answer.errors?.contains("\"code\":\"\(code)\"") == true, "\(answer.text)")
    }
  }
}
