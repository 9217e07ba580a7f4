import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Rights of callers in a class that is divided among shards, and the trails of what they read.
@Suite struct ShardRightsTests {
  private static let queries = [
    "sort=id", "sort=-n,id", "sort=n,id&limit=4", "filter=n%20%3E%202&sort=id",
    "filter=text%20%3D%20%22me%22&sort=id",
    "aggregate=@count,n.@sum,n.@avg,n.@max", "aggregate=ratio.@avg", "sort=id&fields=n",
    "sort=ratio,id&fields=id",
    "filter=price%20%3D%20null&sort=id", "sort=price,id",
  ]

  @Test(arguments: [
    #"{"read":"text == 'me'"}"#, #"{"read":true,"fields":{"n":{"read":false}}}"#,
    #"{"read":"n > 1","fields":{"n":{"read":false},"ratio":{"read":false}}}"#, #"{"read":false}"#,
  ])
  func `a caller with rules has the answers that they have where one store has all objects`(rule: String)
    async throws
  {
    try await ShardedFixture.with { fixture, _ in
      let (administrator, member) = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(rule),"Plain":\#(rule)}}}"#)
      let objects = (0..<30).map {
        #"{"id":\#($0),"n":\#($0 % 5),"ratio":\#($0 % 7).5,"text":"\#($0 % 3 == 0 ? "me" : "other")"}"#
      }
      for name in ["Item", "Plain"] {
        let made = try await fixture.send(
          .post, "/v1/collections/\(name)", administrator, json: "[\(objects.joined(separator: ","))]")
        try #require(made.status == 201, "\(made.text)")
      }
      for query in Self.queries {
        for accept in ["application/json", "application/x-ndjson", "text/csv"] {
          var answers: [String] = []
          for name in ["Item", "Plain"] {
            let fields = member.merging(["accept": accept, "prefer": "count=exact"]) { $1 }
            let answer = try await fixture.send(.get, "/v1/collections/\(name)?\(query)", fields)
            let text = answer.text.replacing(name, with: "X").replacing(#/"requestId":"[^"]*"/#, with: "")
            answers.append("\(answer.status) \(answer.fields["total-count"] ?? "") \(text)")
          }
          #expect(answers[0] == answers[1], "\(query) as \(accept)")
        }
      }
      let page = try await fixture.send(.get, "/v1/collections/Item?sort=id&limit=2", member)
      guard let link = page.fields["link"] else { return }
      let next = String(link.dropFirst().prefix { $0 != ">" })
      #expect(try await fixture.send(.get, next, member).status == 200)
      #expect(try await fixture.send(.get, next).status == 401)
    }
  }

  @Test func `each shard's trail has those of its objects that an answer has shown`() async throws {
    let sharded = try await ShardedFixture(audit: Auditing())
    try await ShardedFixture.with(sharded) { fixture, _ in
      let objects = (0..<30).map { #"{"id":\#($0),"n":\#($0 % 5)}"# }
      let made = try await fixture.send(
        .post, "/v1/collections/Item", ["audit-activity": "make"], json: "[\(objects.joined(separator: ","))]"
      )
      try #require(made.status == 201, "\(made.text)")
      for (activity, query, accept) in [
        ("look", "sort=id&limit=10", "application/json"), ("all", "sort=id", "application/x-ndjson"),
      ] {
        let read = try await fixture.send(
          .get, "/v1/collections/Item?\(query)", ["audit-activity": activity, "accept": accept])
        #expect(read.status == 200, "\(read.text)")
      }
      _ = try await fixture.send(
        .get, "/v1/collections/Item?aggregate=n.@avg&filter=id%20%3C%205", ["audit-activity": "average"])
      for (activity, count) in [("make", 30), ("look", 10), ("all", 30), ("average", 5)] {
        var ids: [Int] = []
        for shard in 0..<3 {
          let trail = try await fixture.send(
            .get,
            "/v1/groups/archive/\(shard)/collections/AuditEvent?limit=1000&filter=activity%20%3D%20%22\(activity)%22"
          )
          let found = trail.text.matches(of: #/\\"id\\":(\d+)/#).compactMap { Int($0.1) }
          #expect(
            found.allSatisfy { ShardKey.shard(of: .int(Int64($0)), among: 3) == shard }, "\(trail.text)")
          ids += found
        }
        #expect(Set(ids) == Set(0..<count), "\(activity) \(ids)")
      }
      // The app's own trail has nothing of it.
      #expect(!fixture.store.schema.objectTypes.contains { $0.name == "AuditEvent" })
    }
  }
}
