import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

/// Shards at a node of a cluster that leads some of them.
@Suite struct ShardClusterTests {
  private final class Cluster: Sendable {
    struct State {
      var isLeading = true
      var isFresh = true
      /// The store's.
      var secret: [UInt8] = []
      var outcome: ClusterAccess.Outcome = .unreachable
      var forwarded: [String] = []
      var scopes: [RequestScope] = []
    }

    let state = Mutex(State())

    var access: ClusterAccess {
      ClusterAccess(
        standing: {
          self.state.withLock {
            ClusterAccess.Standing(
              isLeading: $0.isLeading, hasLease: $0.isLeading, isFresh: $0.isFresh, leader: "n1:8080")
          }
        },
        administration: ClusterAccess.Administration(
          report: { ClusterAccess.Report(node: "n2:8080", role: "follower", position: 7, epoch: 2) },
          stand: { _ in }, stepDown: { _ in }, snapshot: { Response(status: .ok) }, compare: { "c1" }),
        forward: { request, content in
          self.state.withLock { state in
            // As the client of the node that leads does.
            var sent = request
            sent.fields.append("via", "1.1 \(ClusterAccess.pseudonym)")
            let scope = try? RequestScope(of: sent, isOfNamedGroup: false, secret: state.secret, at: .now)
            if let scope { state.scopes.append(scope) }
            state.forwarded.append(
              "\(request.method.rawValue) \(request.target.path) \(String(decoding: content, as: UTF8.self))")
            return state.outcome
          }
        })
    }

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
  }

  private static let item = "/v1/collections/Item"

  private func with(
    _ body: (Fixture, [Cluster], _ ids: [[Int]]) async throws -> Void
  ) async throws {
    let clusters = (0..<3).map { _ in Cluster() }
    let sharded = try await ShardedFixture { clusters[$0].access }
    let ids = (0..<3).map { shard in
      (0..<60).filter { ShardKey.shard(of: .int(Int64($0)), among: 3) == shard }
    }
    try await ShardedFixture.with(sharded) { fixture, shards in
      for (cluster, store) in zip(clusters, shards) { cluster.set { $0.secret = store.secret } }
      try await body(fixture, clusters, ids)
    }
  }

  @Test func `where one shard is out of date, no part of the objects is shown`() async throws {
    try await with { fixture, clusters, ids in
      let objects = ids.joined().map { "{\"id\":\($0)}" }.joined(separator: ",")
      #expect(try await fixture.send(.post, Self.item, json: "[\(objects)]").status == 201)
      clusters[1].set { ($0.isLeading, $0.isFresh) = (false, false) }
      for (path, accept) in [
        (Self.item, "application/json"), ("\(Self.item)?aggregate=@count", "application/json"),
        (Self.item, "application/x-ndjson"), (Self.item, "text/event-stream"),
        ("/v1/changes?class=Item&since=0", "application/json"), ("/v1/collections", "application/json"),
      ] {
        let refused = try await fixture.send(.get, path, ["accept": accept])
        #expect((refused.status, refused.code) == (503, "out_of_date"), "\(path) \(refused.text)")
      }
      let command = try await fixture.send(
        .post, DataAPITests.target("find"), json: DataAPITests.content("Item", #""filter":{}"#))
      #expect(command.status == 503, "\(command.text)")
      #expect(try await fixture.send(.get, "\(Self.item)/\(ids[0][0])").status == 200)
      #expect(try await fixture.send(.get, "\(Self.item)/\(ids[1][0])").code == "out_of_date")
      clusters[1].set { $0.isFresh = true }
      #expect(
        try await fixture.send(.get, "\(Self.item)?aggregate=@count").text == #"{"@count":60}"#)
    }
  }

  @Test func `each part of a write goes to the node that leads its shard`() async throws {
    try await with { fixture, clusters, ids in
      clusters[2].set { $0.isLeading = false }
      let objects = [ids[0][0], ids[2][0], ids[1][0], ids[2][1]]
      let content = "[\(objects.map { "{\"id\":\($0),\"n\":1}" }.joined(separator: ","))]"
      // Nobody leads it.
      let partly = try await fixture.send(.post, Self.item, ["idempotency-key": "\"k\""], json: content)
      #expect((partly.status, partly.code) == (409, "partly_done"), "\(partly.text)")
      #expect(partly.fields["retry-after"] == "1" && partly.text.contains(#""count":2,"#), "\(partly.text)")
      #expect(partly.text.contains(#""code":"not_leader""#), "\(partly.text)")
      let forwarded = clusters[2].state.withLock(\.forwarded)
      #expect(forwarded.count == 1 && forwarded[0].hasPrefix("POST \(Self.item) ["), "\(forwarded)")
      #expect(
        forwarded[0].contains("\(ids[2][1])") && !forwarded[0].contains(":\(ids[0][0]),"), "\(forwarded)")
      // Another node does it.
      let made: Document = [
        "count": .int64(2), "ids": .array(ids[2][..<2].map { .int64(Int64($0)) }),
      ]
      let bson = try made.bson()
      clusters[2].set { $0.outcome = .answered(Response(status: .created, body: .bytes(bson))) }
      let whole = try await fixture.send(.post, Self.item, ["idempotency-key": "\"k\""], json: content)
      #expect(whole.status == 201, "\(whole.text)")
      #expect(
        whole.text == #"{"count":4,"ids":[\#(objects.map(String.init).joined(separator: ","))]}"#,
        "\(whole.text)")
      let deleted: Document = ["count": .int64(2)]
      let answer = try deleted.bson()
      clusters[2].set { $0.outcome = .answered(Response(status: .ok, body: .bytes(answer))) }
      let all = try await fixture.send(.delete, "\(Self.item)?filter=TRUEPREDICATE")
      #expect(all.text == #"{"count":4}"#, "\(all.text)")
      // One part whose outcome nobody knows is told, with what is done.
      #expect(try await fixture.send(.post, Self.item, json: "[{\"id\":\(ids[0][0])}]").status == 201)
      clusters[2].set { $0.outcome = .unknown }
      let unknown = try await fixture.send(.patch, "\(Self.item)?filter=TRUEPREDICATE", json: #"{"n":2}"#)
      #expect(unknown.code == "partly_done" && unknown.text.contains("outcome_unknown"), "\(unknown.text)")
    }
  }

  @Test func `the leader of a shard is told that what it gets is a part, and a trial`() async throws {
    try await with { fixture, clusters, ids in
      clusters[2].set { $0.isLeading = false }
      let run = { (action: String, members: String) in
        try await fixture.send(
          .post, DataAPITests.target(action), json: DataAPITests.content("Item", members))
      }
      let found: Document = ["document": ["_id": .int64(Int64(ids[2][0])), "n": .int64(9)]]
      let bson = try found.bson()
      var answer = Response(status: .ok, body: .bytes(bson))
      answer.fields.append("content-type", "application/bson")
      clusters[2].set { [answer] in $0.outcome = .answered(answer) }
      let own = try await run("insertOne", #""document":{"_id":\#(ids[0][0]),"n":3}"#)
      #expect(own.status == 201, "\(own.text)")
      let taken = try await run("findOneAndUpdate", #""filter":{},"sort":{"n":-1},"update":{"$set":{"n":1}}"#)
      #expect(taken.text == #"{"document":{"_id":\#(ids[2][0]),"n":9}}"#, "\(taken.text)")
      let state = clusters[2].state.withLock { ($0.scopes, $0.forwarded) }
      #expect(state.0.map(\.isTrial) == [true, false] && state.0.map(\.isCounted) == [true, true])
      #expect(state.1[1].contains(#""_id":"#) && state.1[1].contains(#""$and":"#), "\(state.1)")
      #expect(try await fixture.send(.get, "\(Self.item)/\(ids[0][0])").text.contains(#""n":3"#))
      // One whose leader nobody knows: nothing is changed, as the first one may be there.
      clusters[2].set { $0.outcome = .unreachable }
      let refused = try await run(
        "findOneAndUpdate", #""filter":{},"sort":{"n":-1},"update":{"$set":{"n":1}}"#)
      #expect(refused.status == 503, "\(refused.text)")
      #expect(try await fixture.send(.get, "\(Self.item)/\(ids[0][0])").text.contains(#""n":3"#))
    }
  }

  private static let secret = [UInt8](repeating: 7, count: 32)
  private static let time = Date(seconds: 1_700_000_000)
  private static let target = Target(path: "/v1/collections/Item", query: "filter=n%3D1")

  /// Returns a request as another node gets it, which says that it is a trial.
  private func sent() -> Request {
    var request = Request(method: .post, target: Self.target)
    RequestScope(isCounted: true, isTrial: true).note(in: &request, secret: Self.secret, at: Self.time)
    request.fields.append("via", "1.1 \(ClusterAccess.pseudonym)")
    return request
  }

  private func scope(
    of request: Request, _ secret: [UInt8] = secret, after seconds: Int64 = 0
  ) throws(APIError) -> RequestScope {
    let now = Date(seconds: Self.time.seconds + seconds)
    return try RequestScope(of: request, isOfNamedGroup: true, secret: secret, at: now)
  }

  @Test func `nobody but a node says what a request is a part of`() throws {
    let request = sent()
    for seconds in [0, RequestScope.lifetime, -RequestScope.lifetime] {
      let own = try scope(of: request, after: seconds)
      #expect(own.isCounted && own.isTrial && own.isOfNamedGroup)
    }
    #expect(throws: APIError.outOfDate) {
      try scope(of: request, [UInt8](repeating: 8, count: 32))
    }
    // A client says nothing, and no node sends on what it says.
    var ofClient = request
    ofClient.fields = Fields(request.fields.lines.filter { $0.name != "via" })
    #expect(try !scope(of: ofClient).isCounted)
    RequestScope().note(in: &ofClient, secret: Self.secret, at: Self.time)
    #expect(ofClient.fields.isEmpty)
  }

  @Test func `what is said of one request is said of no other, and not for long`() throws {
    let request = sent()
    for seconds in [RequestScope.lifetime + 1, -RequestScope.lifetime - 1] {
      #expect(throws: APIError.outOfDate) { try scope(of: request, after: seconds) }
    }
    var others = Array(repeating: request, count: 4)
    others[0].method = .patch
    others[1].target = Target(path: "/v1/collections/Other", query: Self.target.query)
    others[2].target = Target(path: Self.target.path, query: nil)
    others[3].id = .made(1)
    for other in others { #expect(throws: APIError.outOfDate) { try scope(of: other) } }
    // The seal is one text: nothing of it can be another.
    let seal = try #require(request.fields["gatehouse-request-part"])
    for change in ["A\(seal.dropFirst())", String(seal.dropLast(4)), "", "trial"] where change != seal {
      var altered = request
      altered.fields.replace("gatehouse-request-part", change)
      #expect(throws: APIError.outOfDate) { try scope(of: altered) }
    }
  }

  @Test func `a command of a function is the same request below the name of its app`() throws {
    let action = "endpoint/data/v1/action/insertMany"
    var request = Request(method: .post, target: Target(path: "/app/functions/\(action)", query: nil))
    RequestScope(isCounted: true).note(in: &request, secret: Self.secret, at: Self.time)
    request.fields.append("via", "1.1 \(ClusterAccess.pseudonym)")
    request.target = Target(path: "/app/shop/\(action)", query: nil)
    #expect(try scope(of: request).isCounted)
  }

  @Test func `a request that is sent once more as a trial of another one is not done`() async throws {
    try await with { fixture, _, ids in
      let fields = Dictionary(sent().fields.lines.map { ($0.name, $0.value) }) { $1 }
      let refused = try await fixture.send(.put, "\(Self.item)/\(ids[0][0])", fields, json: #"{"n":1}"#)
      #expect(refused.status == 503 && refused.code == "out_of_date", "\(refused.text)")
      #expect(try await fixture.send(.get, "\(Self.item)/\(ids[0][0])").status == 404)
    }
  }
}
