import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Queries of a class that is divided among shards find what they would find in one store.
@Suite struct ShardQueryTests {
  @Test(arguments: 0..<6 as Range<UInt64>)
  func `the same objects and queries have the same answers in one store and in several`(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    try await ShardedFixture.with(shards: .random(in: 2...7, using: &random)) { fixture, _ in
      let count = Int.random(in: 0...80, using: &random)
      for id in 0..<count {
        let object = ShardQueryTests.object(id, &random)
        for name in ["Item", "Plain"] {
          let made = try await fixture.send(.post, "/v1/collections/\(name)", json: object)
          try #require(made.status == 201, "\(object) \(made.text)")
        }
      }
      for _ in 0..<25 {
        let query = ShardQueryTests.query(&random)
        #expect(
          try await ShardQueryTests.pages(of: "Item", query, fixture)
            == ShardQueryTests.pages(of: "Plain", query, fixture), "seed \(seed): \(query)")
        let (filter, aggregate) = (
          query.first { $0.hasPrefix("filter=") },
          "aggregate=@count,n.@sum,n.@avg,n.@min,n.@max,price.@sum,price.@avg,price.@max,ratio.@min,ratio.@sum,ratio.@avg,any.@max,any.@sum,at.@max,tags.@sum"
        )
        let parameters = ([aggregate] + [filter].compactMap(\.self)).joined(separator: "&")
        #expect(
          try await fixture.send(.get, "/v1/collections/Item?\(parameters)").text
            == fixture.send(.get, "/v1/collections/Plain?\(parameters)").text, "seed \(seed): \(parameters)")
      }
    }
  }

  @Test func `a cursor before all objects is refused`() async throws {
    try await ShardedFixture.with(shards: 2) { fixture, _ in
      let token = CursorToken(objectType: "Item", QueryParameters())
      for shard in 0...1 {
        let text = token.text(of: Cursor(values: [], key: ObjectKey(.min)), shard: shard)
        let answer = try await fixture.send(.get, "/v1/collections/Item?cursor=\(text)")
        #expect((answer.status, answer.code) == (400, "invalid_cursor"), "\(answer.text)")
      }
    }
  }

  @Test func `what was there at a time is what one store had then`() async throws {
    try await ShardedFixture.with(shards: 4) { fixture, _ in
      let rule = #"{"read":"n < 3"}"#
      let callers = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(rule),"Plain":\#(rule)}}}"#)
      var random = SeededGenerator(seed: 3)
      // A moment between two writes, of which each is made to one class and then to the other.
      var moments: [String] = []
      var last = ""
      for step in 0..<60 {
        let (id, n) = (Int.random(in: 0..<20, using: &random), Int.random(in: 0...5, using: &random))
        for name in ["Plain", "Item"] {
          let path = "/v1/collections/\(name)"
          let write =
            step % 5 == 0
            ? try await fixture.send(.delete, "\(path)/\(id)", callers.administrator)
            : try await fixture.send(
              .put, "\(path)/\(id)", callers.administrator, json: #"{"n":\#(n),"text":"\#(step)"}"#)
          #expect(write.status < 300 || write.status == 404, "\(write.text)")
        }
        let log = { (name: String) in
          try await fixture.send(
            .get, "/v1/changes?class=\(name)&since=0&limit=1000", callers.administrator
          ).text.matches(of: #/"time":"([^"]+)"/#).map { String($0.1) }
        }
        let (own, all) = (try await log("Plain"), try await log("Item"))
        if let first = own.last, first > last, last != "" { moments.append(last) }
        last = max(own.last ?? "", all.last ?? "")
      }
      try #require(!moments.isEmpty)
      for moment in Set(moments).sorted().prefix(12) {
        for caller in [callers.administrator, callers.member] {
          for query in ["sort=id&limit=100", "sort=-n,id&limit=5", "aggregate=@count,n.@avg,n.@sum"] {
            let read = { (name: String) in
              let answer = try await fixture.send(
                .get, "/v1/collections/\(name)?\(query)&at=\(moment)", caller)
              #expect(answer.fields["realm-version"]?.contains("_") != (name == "Plain"))
              return "\(answer.status) \(answer.text)"
            }
            #expect(try await read("Item") == read("Plain"), "\(query) at \(moment)")
          }
        }
      }
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `distinct values, the first ones and sections are those of all objects`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await ShardedFixture.with(shards: .random(in: 2...7, using: &random)) { fixture, _ in
      for id in 0..<Int.random(in: 0...60, using: &random) {
        let object = ShardQueryTests.object(id, &random)
        for name in ["Item", "Plain"] {
          let made = try await fixture.send(.post, "/v1/collections/\(name)", json: object)
          try #require(made.status == 201, "\(object) \(made.text)")
        }
      }
      let names = ["n", "text", "ratio", "price", "any", "on", "at"]
      for _ in 0..<20 {
        let keys = names.shuffled(using: &random)
        // The key last, so that it is the same object of each group everywhere.
        let sort = keys.prefix(.random(in: 0...2, using: &random)).map { "\($0) DESC" } + ["id ASC"]
        let distinct = keys.suffix(.random(in: 0...2, using: &random)).joined(separator: ",")
        let limit = Bool.random(using: &random) ? " LIMIT(\(Int.random(in: 0...9, using: &random)))" : ""
        let filter =
          "TRUEPREDICATE SORT(\(sort.joined(separator: ",")))\(distinct.isEmpty ? "" : " DISTINCT(\(distinct))")\(limit)"
        let page = [1, 2, 7, 100].randomElement(using: &random) ?? 1
        let query = ["filter=\(filter.percentEncoded)", "limit=\(page)"]
        #expect(
          try await ShardQueryTests.pages(of: "Item", query, fixture)
            == ShardQueryTests.pages(of: "Plain", query, fixture), "seed \(seed): \(filter)")
        let key = ["n", "text", "price", "any", "on", "at", "firstLetter(text)", "firstLetter(any)"]
          .randomElement(
            using: &random)
        let sectioned = query + ["sectionBy=\(key ?? "")", "fields=id,n"]
        #expect(
          try await ShardQueryTests.pages(of: "Item", sectioned, fixture)
            == ShardQueryTests.pages(of: "Plain", sectioned, fixture), "seed \(seed): \(sectioned)")
        let lines = { (name: String) in
          try await fixture.send(
            .get, "/v1/collections/\(name)?\(query[0])", ["accept": "application/x-ndjson"]
          ).text
        }
        #expect(try await lines("Item") == lines("Plain"), "seed \(seed): \(filter)")
      }
    }
  }

  @Test func `a query is explained for each shard`() async throws {
    try await ShardedFixture.with(shards: 3) { fixture, _ in
      let objects = (0..<30).map { "{\"id\":\($0)}" }.joined(separator: ",")
      #expect(try await fixture.send(.post, "/v1/collections/Item", json: "[\(objects)]").status == 201)
      let answer = try await fixture.send(.get, "/v1/collections/Item?filter=n%3D1&explain=true").document
      let plain = try await fixture.send(.get, "/v1/collections/Plain?filter=n%3D1&explain=true").document
      #expect(answer["filter"] == plain["filter"] && answer["objects"] == .int32(30), "\(answer)")
      guard case .array(let shards)? = answer["shards"] else {
        Issue.record("\(answer)")
        return
      }
      #expect(shards.count == 3)
    }
  }

  @Test func `versions of all shards show what was there, page by page`() async throws {
    try await ShardedFixture.with(shards: 3) { fixture, _ in
      let item = "/v1/collections/Item"
      let objects = (0..<30).map { "{\"id\":\($0),\"n\":1}" }.joined(separator: ",")
      #expect(try await fixture.send(.post, item, json: "[\(objects)]").status == 201)
      let first = try await fixture.send(.get, "\(item)?sort=id&limit=100&at=now")
      let versions = try #require(first.fields["realm-version"])
      #expect(versions.split(separator: "_").count == 3)
      #expect(try await fixture.send(.patch, "\(item)?filter=TRUEPREDICATE", json: #"{"n":2}"#).status == 200)
      #expect(try await fixture.send(.delete, "\(item)?filter=id%3C15").status == 200)
      let then = try await fixture.send(.get, "\(item)?sort=id&limit=100&at=\(versions)")
      #expect(then.text == first.text && then.fields["realm-version"] == versions)
      #expect(
        try await fixture.send(.get, "\(item)?aggregate=@count,n.@sum&at=\(versions)").text
          == #"{"@count":30,"n.@sum":30}"#)
      for wrong in ["1_2", "1_2_3_4", "1_x_2", "1__2", "1_2_3-1"] {
        let refused = try await fixture.send(.get, "\(item)?at=\(wrong)")
        #expect((refused.status, refused.code) == (400, "invalid_parameter"), "\(wrong) \(refused.text)")
      }
      let ahead = try await fixture.send(.get, "\(item)?at=1_2_999")
      #expect(ahead.code == "version_ahead", "\(ahead.text)")
    }
  }

  @Test func `who goes through pages while others write meets each object that stays, once`() async throws {
    try await ShardedFixture.with(shards: 4) { fixture, _ in
      let item = "/v1/collections/Item"
      for id in 0..<120 {
        _ = try await fixture.send(.post, item, json: #"{"id":\#(id),"n":\#(id % 5),"text":"a"}"#)
      }
      var random = SeededGenerator(seed: 7)
      for order in ["", "sort=n", "sort=-n"] {
        var (path, met) = ("\(item)?limit=7&fields=id&\(order)", [Int]())
        for step in 0..<100 {
          let page = try await fixture.send(.get, path)
          try #require(page.status == 200, "\(page.text)")
          met += try page.ids
          // Others come and go, and what stays changes in what is not asked about.
          let new = Int.random(in: 1_000...9_000, using: &random)
          _ = try await fixture.send(.post, item, json: #"{"id":\#(new),"n":\#(step % 5)}"#)
          _ = try await fixture.send(
            .patch, "\(item)/\(Int.random(in: 0..<120, using: &random))", json: #"{"text":"\#(step)"}"#)
          if step % 3 == 0 { _ = try await fixture.send(.delete, "\(item)/\(new)") }
          guard let link = page.fields["link"] else { break }
          path = String(link.dropFirst().prefix { $0 != ">" })
        }
        #expect(Set(met).count == met.count && met.filter { $0 < 120 }.sorted() == Array(0..<120), "\(order)")
      }
    }
  }

  /// The pages of a query, each object as it is, and the numbers of all.
  private static func pages(of name: String, _ query: [String], _ fixture: Fixture) async throws -> [String] {
    var path = "/v1/collections/\(name)?\(query.joined(separator: "&"))"
    var pages: [String] = []
    for _ in 0..<200 {
      let page = try await fixture.send(.get, path, ["prefer": "count=exact"])
      pages.append("\(page.status) \(page.fields["total-count"] ?? "") \(page.text)")
      guard let link = page.fields["link"] else { return pages }
      path = String(link.dropFirst().prefix { $0 != ">" })
    }
    Issue.record("pages without an end: \(query)")
    return pages
  }

  /// The values are of few kinds, so that many are equal, and sums are the same in any order.
  private static func object(_ id: Int, _ random: inout SeededGenerator) -> String {
    var members = [#""id":\#(id)"#]
    let texts = ["\"\"", "\"a\"", "\"B\"", "\"é\"", "\"e\\u0301\"", "\"z\"", "\"\u{1F600}\"", "null"]
    let values: [(String, [String])] = [
      ("n", ["null", "-3", "0", "2", "9007199254740993"]), ("text", texts),
      ("ratio", ["null", "-0.5", "0", "2.25"]),
      ("price", ["null", #""1.0""#, #""1.00""#, #""-2""#, #""10""#, #""9""#]),
      ("any", ["null", "true", "1", "1.0", "2", "\"a\"", "\"1\"", "-1.5"]),
      ("on", ["null", "true", "false"]),
      ("at", ["null", #""2020-01-01T00:00:00Z""#, #""1960-05-05T00:00:00.25Z""#]),
      ("tags", ["[]", "[1]", "[2,3]"]),
    ]
    for (name, choices) in values where Bool.random(using: &random) {
      members.append(#""\#(name)":\#(choices.randomElement(using: &random) ?? "null")"#)
    }
    return "{\(members.joined(separator: ","))}"
  }

  private static func query(_ random: inout SeededGenerator) -> [String] {
    let filters = [
      "n%20%3D%20null", "n%20%3E%200%20OR%20on%20%3D%20true", "text%20BEGINSWITH%5Bc%5D%20%22a%22",
      "ANY%20tags%20%3E%201", "ratio%20%3C%201", "price%20%3E%3D%201", "any%20%3D%201", "id%20%3E%2040",
      "tags.%40count%20%3D%200",
    ]
    let names = ["n", "text", "ratio", "price", "any", "on", "at"]
    var query: [String] = []
    if Bool.random(using: &random) { query.append("filter=\(filters.randomElement(using: &random) ?? "")") }
    // The key last: equal objects are in the order in which a store has got them.
    let keys = names.shuffled(using: &random).prefix(.random(in: 0...3, using: &random)).map {
      (Bool.random(using: &random) ? "-" : "") + $0
    }
    query.append("sort=\((keys + ["id"]).joined(separator: ","))")
    query.append("limit=\([1, 2, 7, 30, 100].randomElement(using: &random) ?? 1)")
    if Bool.random(using: &random) { query.append("fields=id,any,ratio,price") }
    return query
  }
}

extension Answer {
  /// The keys of the objects of a page.
  fileprivate var ids: [Int] {
    get throws {
      guard case .array(let objects) = try Value(json: content) else { return [] }
      return objects.compactMap {
        guard case .document(let members) = $0, let id = members["id"] else { return nil }
        return switch id {
        case .int32(let number): Int(number)
        case .int64(let number): Int(number)
        default: nil
        }
      }
    }
  }
}
