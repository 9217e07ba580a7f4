import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// The same query in a URL, in the content of QUERY, and in that of POST.
@Suite struct QueryTests {
  @Test(arguments: [
    ("", ""),
    (
      #"filter=country.name == $0&args=["Japan"]&sort=name"#,
      #""filter":"country.name == $0","args":["Japan"],"sort":"name""#
    ),
    (
      #"filter=population IN $0&args=[[2138551,3426354]]"#,
      #""filter":"population IN $0","args":[[{"$numberLong":"2138551"},3426354]]"#
    ),
    (#"filter=$K0 > 3000000&args=["population"]"#, #""filter":"$K0 > 3000000","args":["population"]"#),
    ("distinct=country&fields=name&limit=2", #""distinct":"country","fields":"name","limit":2"#),
    ("expand=country&sort=-population", #""expand":"country","sort":"-population""#),
    ("aggregate=@count,population.@max", #""aggregate":"@count,population.@max""#),
    (
      "sectionBy=country.name&sort=name&fields=_id",
      #""sectionBy":"country.name","sort":"name","fields":"_id""#
    ),
    ("explain=true&filter=population > 5", #""explain":true,"filter":"population > 5""#),
  ])
  func `a query has one answer, wherever it stands`(url: String, members: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let found = try await fixture.send(.get, "/v1/collections/City?\(url.queryEncoded)")
      #expect(found.status == 200, "\(found.text)")
      let queried = try await fixture.send(.query, "/v1/collections/City", json: "{\(members)}")
      #expect((queried.status, queried.text) == (200, found.text))
      let from = members.isEmpty ? #"{"from":"City"}"# : #"{"from":"City",\#(members)}"#
      let posted = try await fixture.send(.post, "/v1/query", json: from)
      #expect((posted.status, posted.text) == (200, found.text))
      guard case .document(let document) = try Value(json: Array(from.utf8)) else { return }
      let binary = try await fixture.send(
        .post, "/v1/query", ["content-type": "application/bson"], document.bson())
      #expect((binary.status, binary.text) == (200, found.text))
    }
  }

  @Test(arguments: ["", #","sort":"-population,name""#, #","sort":"name","sectionBy":"country.name""#])
  func `pages follow each other by links and by cursors in the content`(members: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      for (method, path, from) in [
        (GatehouseHTTP.Method.query, "/v1/collections/City", ""), (.post, "/v1/query", #","from":"City""#),
      ] {
        var ids: [String] = []
        var target = path
        var content = #"{"limit":1,"fields":"_id"\#(members)\#(from)}"#
        let first = content
        for page in 0..<9 {
          let answer = try await fixture.send(method, target, json: content)
          try #require(answer.status == 200, "\(answer.text)")
          ids += answer.text.matches(of: /"_id":(\d)/).map { String($0.1) }
          guard let link = answer.fields["link"] else { break }
          let next = String(link.dropFirst().prefix { $0 != ">" })
          #expect(next.hasPrefix("\(path)?cursor="))
          // Alternately the link with the same content, and the cursor in the content.
          if page.isMultiple(of: 2) {
            (target, content) = (next, first)
          } else {
            let cursor = next.dropFirst("\(path)?cursor=".count)
            (target, content) = (path, #"{"cursor":"\#(cursor)",\#(String(first.dropFirst()))"#)
          }
        }
        #expect(ids.count == 4)
        #expect(Set(ids).count == 4)
      }
    }
  }

  @Test(arguments: [
    (#"[]"#, "invalid_query"), (#""x""#, "invalid_query"), (#"{}"#, "missing_parameter"),
    (#"{"from":3}"#, "missing_parameter"), (#"{"from":"Citi"}"#, "unknown_class"),
    (#"{"from":"Location"}"#, "embedded_class"),
    (#"{"from":"City","filtre":"x"}"#, "unknown_parameter"),
    (#"{"from":"City","mode":"all"}"#, "unknown_parameter"),
    (#"{"from":"City","filter":3}"#, "invalid_parameter"),
    (#"{"from":"City","args":{}}"#, "invalid_parameter"),
    (#"{"from":"City","args":"[]"}"#, "invalid_parameter"),
    (#"{"from":"City","explain":"true"}"#, "invalid_parameter"),
    (#"{"from":"City","limit":"3"}"#, "limit_out_of_range"),
    (#"{"from":"City","limit":0}"#, "limit_out_of_range"),
    (#"{"from":"City","limit":1001}"#, "limit_out_of_range"),
    (#"{"from":"City","cursor":"x"}"#, "invalid_cursor"),
    (#"{"from":"City","filter":"name =="}"#, "invalid_query"),
    (#"{"from":"City","aggregate":"@count","limit":3}"#, "contradictory_parameters"),
    (#"{"from":"City","aggregate":"@count","fields":"name"}"#, "contradictory_parameters"),
    (#"{"from":"City","aggregate":"@count","sectionBy":"name"}"#, "contradictory_parameters"),
    (#"{"#, "malformed_json"),
  ])
  func `what is wrong with the content of a query has a code`(content: String, code: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.post, "/v1/query", json: content)
      #expect(answer.code == code, "\(answer.text)")
      #expect(answer.status == (code == "unknown_class" || code == "embedded_class" ? 404 : 400))
    }
  }

  @Test func `QUERY says what it reads, and needs to know what it is given`() async throws {
    try await Fixture.with { fixture in
      let reads = "application/json, application/ejson, application/bson"
      let options = try await fixture.send(.options, "/v1/collections/City")
      #expect(options.fields["allow"] == "GET, HEAD, POST, PATCH, DELETE, QUERY, OPTIONS")
      #expect(options.fields["accept-query"] == reads)
      let untyped = try await fixture.send(.query, "/v1/collections/City", [:], Array("{}".utf8))
      #expect((untyped.status, untyped.fields["accept-query"]) == (415, reads))
      let posted = try await fixture.send(
        .post, "/v1/query", ["content-type": "text/plain"], Array("{}".utf8))
      #expect((posted.status, posted.fields["accept-post"]) == (415, reads))
      let named = try await fixture.send(.query, "/v1/collections/City", json: #"{"from":"City"}"#)
      #expect((named.status, named.code) == (400, "unknown_parameter"))
    }
  }

  @Test func `arguments keep the types that Extended JSON gives them`() async throws {
    try await Fixture.with(Self.allTypes) { fixture in
      try await fixture.fill(Self.animals)
      for (filter, argument, count) in [
        ("weight == $0", #"{"$numberDecimal":"1.10"}"#, 1), ("weight == $0", #""1.1""#, 1),
        ("born < $0", #"{"$date":"2020-01-02T00:00:00Z"}"#, 1), ("born < $0", #""2020-01-02T00:00:00Z""#, 1),
        ("id == $0", #"{"$oid":"000000000000000000000001"}"#, 1),
        ("extra == $0", #"{"$numberDouble":"1.0"}"#, 1),
        ("extra == $0", #""1""#, 0),
      ] {
        let answer = try await fixture.send(
          .post, "/v1/query",
          json: #"{"from":"Animal","aggregate":"@count","filter":"\#(filter)","args":[\#(argument)]}"#)
        #expect(answer.text == #"{"@count":\#(count)}"#, "\(filter) \(argument)")
      }
    }
  }

  @Test(arguments: [
    ("@count", #"{"@count":3}"#),
    (
      "legs.@sum,legs.@avg,legs.@min,legs.@max",
      #"{"legs.@sum":6,"legs.@avg":3.0,"legs.@min":2,"legs.@max":4}"#
    ),
    ("weight.@sum,weight.@min", #"{"weight.@sum":"3.30","weight.@min":"1.10"}"#),
    ("weight.@avg", #"{"weight.@avg":"1.65"}"#),
    ("born.@min,born.@max", #"{"born.@min":"2020-01-01T00:00:00Z","born.@max":"2021-01-01T00:00:00Z"}"#),
    ("extra.@min,extra.@max", #"{"extra.@min":1,"extra.@max":"x"}"#),
    ("extra.@sum", #"{"extra.@sum":{"$numberDecimal":"1"}}"#),
    ("speed.@sum,speed.@max", #"{"speed.@sum":2.5,"speed.@max":2.5}"#),
    ("scores.@sum,scores.@max", #"{"scores.@sum":6,"scores.@max":3}"#),
    ("friend.legs.@max,friend.friend.legs.@max", #"{"friend.legs.@max":4,"friend.friend.legs.@max":null}"#),
    ("@count, @count", #"{"@count":3}"#),
  ])
  func `aggregates have the types of Realm's`(aggregate: String, expected: String) async throws {
    try await Fixture.with(Self.allTypes) { fixture in
      try await fixture.fill(Self.animals)
      let answer = try await fixture.send(
        .get, "/v1/collections/Animal?aggregate=\(aggregate.queryEncoded)")
      #expect((answer.status, answer.text) == (200, expected))
    }
  }

  @Test func `of nothing, a sum is 0 and everything else null`() async throws {
    try await Fixture.with(Self.allTypes) { fixture in
      try await fixture.fill(Self.animals)
      let text =
        "@count,legs.@sum,legs.@avg,legs.@min,weight.@sum,weight.@max,speed.@sum,born.@min,extra.@sum"
      let answer = try await fixture.send(
        .get, "/v1/collections/Animal?filter=FALSEPREDICATE&aggregate=\(text.queryEncoded)")
      #expect(
        answer.text == """
          {"@count":0,"legs.@sum":0,"legs.@avg":null,"legs.@min":null,"weight.@sum":"0","weight.@max":null,\
          "speed.@sum":0.0,"born.@min":null,"extra.@sum":{"$numberDecimal":"0"}}
          """)
    }
  }

  @Test func `aggregates come in every representation, and obey LIMIT and DISTINCT`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let path = "/v1/collections/City?aggregate=@count,country.population.@sum"
      let json = try await fixture.send(.get, path)
      #expect(json.text == #"{"@count":4,"country.population.@sum":402973366}"#)
      let extended = try await fixture.send(.get, path, ["accept": "application/ejson"])
      #expect(
        extended.text
          == #"{"@count":{"$numberLong":"4"},"country.population.@sum":{"$numberLong":"402973366"}}"#)
      let binary = try await fixture.send(.get, path, ["accept": "application/bson"])
      let document: Document = ["@count": .int64(4), "country.population.@sum": .int64(402_973_366)]
      #expect(binary.content == (try document.bson()))
      let lines = try await fixture.send(.get, path, ["accept": "application/x-ndjson"])
      #expect(lines.text == json.text + "\n")
      let limited = try await fixture.send(
        .get, path + "&filter=TRUEPREDICATE+SORT(population+DESC)+LIMIT(1)")
      #expect(limited.text == #"{"@count":1,"country.population.@sum":126529100}"#)
      let distinct = try await fixture.send(.get, path + "&distinct=country")
      #expect(distinct.text == #"{"@count":3,"country.population.@sum":276444266}"#)
    }
  }

  @Test(arguments: [
    (
      "sectionBy=firstLetter(name)&sort=name&fields=name",
      #"[{"key":"B","count":1,"objects":[{"name":"Berlin"}]},{"key":"O","count":1,"objects":[{"name":"Osaka"}]},"#
        + #"{"key":"P","count":1,"objects":[{"name":"Paris"}]},{"key":"T","count":1,"objects":[{"name":"Tokyo"}]}]"#
    ),
    // The order of the sections is that of their first objects, not that of their keys.
    (
      "sectionBy=country.name&sort=-population&fields=_id",
      #"[{"key":"Japan","count":2,"objects":[{"_id":1},{"_id":4}]},"#
        + #"{"key":"Germany","count":1,"objects":[{"_id":2}]},{"key":"France","count":1,"objects":[{"_id":3}]}]"#
    ),
    (
      "sectionBy=country&sort=_id&fields=_id&filter=population > 2200000",
      #"[{"key":"JP","count":2,"objects":[{"_id":1},{"_id":4}]},{"key":"DE","count":1,"objects":[{"_id":2}]}]"#
    ),
    ("sectionBy=name&filter=FALSEPREDICATE", "[]"),
    (
      "sectionBy=location.latitude&sort=-_id&fields=_id&filter=_id < 3",
      #"[{"key":null,"count":1,"objects":[{"_id":2}]},{"key":35.5,"count":1,"objects":[{"_id":1}]}]"#
    ),
  ])
  func `objects come in sections`(query: String, expected: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.get, "/v1/collections/City?\(query.queryEncoded)")
      #expect((answer.status, answer.text) == (200, expected))
    }
  }

  @Test func `a section goes on in the next page, until its place is gone`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let path = "/v1/collections/City?sectionBy=country&sort=-population&fields=_id&limit="
      let first = try await fixture.send(.get, path + "1")
      #expect(first.text == #"[{"key":"JP","count":2,"objects":[{"_id":1}]}]"#)
      let next = try #require(first.fields["link"]).dropFirst().prefix { $0 != ">" }
      let second = try await fixture.send(
        .get, String(next).replacing("limit=1", with: "limit=2"))
      #expect(
        second.text
          == #"[{"key":"JP","count":2,"objects":[{"_id":4}]},{"key":"DE","count":1,"objects":[{"_id":2}]}]"#)
      let whole = try await fixture.send(.get, path + "4", ["prefer": "count=exact"])
      #expect((whole.fields["link"], whole.fields["total-count"]) == (nil, "4"))
      let lines = try await fixture.send(.get, path + "2", ["accept": "application/x-ndjson"])
      #expect(lines.text == "{\"key\":\"JP\",\"count\":2,\"objects\":[{\"_id\":1},{\"_id\":4}]}\n")
      _ = try await fixture.send(.delete, "/v1/collections/City/1")
      let gone = try await fixture.send(.get, String(next))
      #expect((gone.status, gone.code) == (410, "cursor_expired"))
    }
  }

  @Test func `an explanation names indexes and estimates rows`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let byIndex = try await fixture.send(
        .get, "/v1/collections/Country?explain=true&filter=name%20BEGINSWITH%20%22G%22")
      let explanation = try byIndex.document
      #expect(explanation["indexes"] == .array([.string("Country.name#index")]), "\(byIndex.text)")
      #expect(explanation["inMemory"] == .array([]))
      #expect(explanation["estimatedRows"] == .int32(1))
      #expect(explanation["objects"] == .int32(3))
      // The statement has the query's shape, and none of its values.
      guard case .string(let sql)? = explanation["sql"] else { return }
      #expect(sql.contains("?") && !sql.contains("G"), "\(sql)")
      let scan = try await fixture.send(
        .get,
        "/v1/collections/Country?explain=true&filter="
          + "SUBQUERY(cities, $x, $x.population > 1).@count > 1 + population".queryEncoded)
      #expect(try scan.document["estimatedRows"] == .int32(3))
      guard case .array(let residuals)? = try scan.document["inMemory"] else { return }
      #expect(residuals.count == 1, "\(scan.text)")
    }
  }

  @Test(arguments: [
    ("name LIKE '%x%'", true), ("NOT (population > 1 OR name LIKE[c] '50%')", true),
    ("SUBQUERY(country.neighbours, $x, $x.name LIKE '%x').@count > 0", true),
    ("name LIKE '*50%*'", false), ("name LIKE 'x?%'", false), ("name CONTAINS '%'", false),
    ("name LIKE 'x'", false),
  ])
  func `an explanation knows the wildcards of SQL`(filter: String, isForeign: Bool) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .query, "/v1/collections/City", json: #"{"explain":true,"filter":"\#(filter)"}"#)
      #expect(answer.status == 200, "\(answer.text)")
      let hint =
        "LIKE has * for any text and ? for one character; % and _ stand for themselves, unlike in SQL."
      #expect(try answer.document["hints"] == (isForeign ? .array([.string(hint)]) : nil))
    }
  }

  private static let allTypes = """
    [{"name":"Animal","primaryKey":"id","properties":{"id":"objectId","legs":"int?","weight":"decimal128?",\
    "born":"date?","extra":"mixed","speed":"float?","scores":"int[]","friend":"Animal?"}}]
    """
  private static let animals = """
    [{"id":"000000000000000000000001","legs":4,"weight":"1.10","born":"2020-01-01T00:00:00Z","extra":1,\
    "speed":2.5,"scores":[1,2]},\
    {"id":"000000000000000000000002","legs":2,"weight":"2.20","born":"2021-01-01T00:00:00Z","extra":"x",\
    "scores":[3],"friend":"000000000000000000000001"},{"id":"000000000000000000000003"}]
    """
}

extension Fixture {
  /// Creates the objects of the one class.
  fileprivate func fill(_ objects: String) async throws {
    let name = try #require(store.schema.objectTypes.first?.name)
    let answer = try await send(.post, "/v1/collections/\(name)", json: objects)
    try #require(answer.status == 201, "\(answer.text)")
  }
}

extension String {
  /// The same with what a query cannot hold percent-encoded; `&` and `=` stay what they are in one.
  var queryEncoded: String {
    replacing(" ", with: "%20").replacing("\"", with: "%22").replacing(">", with: "%3E")
      .replacing("<", with: "%3C").replacing("+", with: "%2B").replacing("==", with: "%3D%3D")
  }
}
