import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import GatehouseTestSupport
import Synchronization
import Testing

@testable import GatehouseAPI

/// A gateway that is a node of a cluster: what it answers itself, and what it sends on.
struct ClusterTests {
  /// The cluster as the gateway sees it.
  private final class Cluster: Sendable {
    struct State {
      var standing = ClusterAccess.Standing(
        isLeading: false, hasLease: false, isFresh: true, leader: "n1:8080")
      var outcome: ClusterAccess.Outcome = .answered(Response(status: .created))
      var forwarded: [String] = []
      var digest: ClusterAccess.Digest?
    }

    /// No time passes.
    private let unknownCallers = RateLimiter(requestsPerSecond: 1, burst: 2, now: { 1_000_000_000 })

    let state = Mutex(State())

    var access: ClusterAccess {
      var access = ClusterAccess(
        standing: { self.state.withLock(\.standing) },
        administration: ClusterAccess.Administration(
          report: {
            var report = ClusterAccess.Report(node: "n2:8080", role: "follower", position: 7, epoch: 2)
            report.digest = self.state.withLock(\.digest)
            return report
          },
          stand: { app in self.set { $0.standing.leader = app ?? "n1:8080" } },
          stepDown: { app in
            guard app == nil else { throw AppError.notFound }
            self.set { $0.standing.leader = "n3:8080" }
          },
          snapshot: { Response(status: .ok, body: .bytes([1, 2])) }, compare: { "c1" }),
        forward: { request, content in
          self.state.withLock { state in
            state.forwarded.append(
              "\(request.method.rawValue) \(request.target.path) \(String(decoding: content, as: UTF8.self))")
            return state.outcome
          }
        })
      access.contentLimit = 200
      access.unknownCallers = unknownCallers
      return access
    }

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// Returns what has been sent on since the last call.
    func takeForwarded() -> [String] {
      state.withLock { state in
        defer { state.forwarded = [] }
        return state.forwarded
      }
    }
  }

  /// - Parameter group: A group of classes that this node leads, in a store of its own; nil: there is none.
  private func with(
    adminKey: String? = nil, group: (ClassGroup, Store)? = nil,
    _ body: (
      Cluster, @escaping (GatehouseHTTP.Method, String, [String: String], String?) async throws -> Answer
    )
      async throws ->
      Void
  ) async throws {
    try await Fixture.with { fixture in
      let cluster = Cluster()
      var options = GatewayOptions()
      options.cluster = cluster.access
      if let (group, store) = group {
        options.groups = [GatewayGroup(group, store, broker: EventBroker(store))]
      }
      if let adminKey {
        options.access = try AccessControl(fixture.store, adminKey: AdminKey(adminKey))
      }
      let gateway = try Gateway(store: fixture.store, options: options)
      gateway.start(on: fixture.loop)
      try await body(cluster) { method, path, fields, content in
        let type = content == nil ? [:] : ["content-type": "application/json"]
        let request = Request(
          method: method, target: Target(path: path),
          fields: Fields(fields.merging(type) { $1 }.map { Fields.Line(name: $0.key, value: $0.value) }),
          body: content.map { .bytes(Array($0.utf8)) } ?? .empty)
        return try await withTaskExecutorPreference(fixture.loop) {
          try await Answer(await gateway.respond(to: request))
        }
      }
    }
  }

  @Test func `a node that follows sends on what writes, and reads by itself`() async throws {
    try await with { cluster, send in
      #expect(try await send(.post, "/v1/collections/City", [:], #"{"a":1}"#).status == 201)
      #expect(cluster.takeForwarded() == [#"POST /v1/collections/City {"a":1}"#])
      for (method, path) in [
        (.put, "/v1/schema"), (.delete, "/v1/collections/City/1"), (.post, "/v1/functions/f"),
        (.get, "/v1/triggers"), (.post, "/v1/keys"),
      ] as [(GatehouseHTTP.Method, String)] {
        _ = try await send(method, path, [:], nil)
        #expect(cluster.takeForwarded() == ["\(method.rawValue) \(path) "])
      }
      #expect(try await send(.get, "/v1/collections", [:], nil).status == 200)
      #expect(try await send(.get, "/v1/collections", ["read-consistency": "local"], nil).status == 200)
      // Only the leader knows the scopes.
      for name in ["audit-scope", "audit-activity"] {
        #expect(try await send(.get, "/v1/collections", [name: "1"], nil).status == 201)
        #expect(cluster.takeForwarded() == ["GET /v1/collections "])
        _ = try await send(.get, "/v1/collections", [name: "1", "accept": "text/event-stream"], nil)
      }
      #expect(try await send(.post, "/v1/tickets", [:], "{}").status != 201)
      #expect(try await send(.get, "/nowhere", [:], nil).status == 404)
      #expect(try await send(.get, "/readyz", [:], nil).status == 200)
      #expect(cluster.takeForwarded() == [])
      // One that was sent on is not sent on again.
      let answer = try await send(.delete, "/v1/collections/City/1", ["via": "1.1 gatehouse-cluster"], nil)
      #expect(answer.status == 503 && answer.code == "not_leader")
      #expect(answer.fields["gatehouse-leader"] == "n1:8080" && answer.fields["retry-after"] == "1")
      #expect(cluster.takeForwarded() == [])
    }
  }

  @Test func `a node that leads answers, unless it has been replaced meanwhile`() async throws {
    try await with { cluster, send in
      cluster.set { $0.standing = .init(isLeading: true, hasLease: true, isFresh: true, leader: "n2:8080") }
      #expect(try await send(.delete, "/v1/collections/City/1", [:], nil).status == 404)
      #expect(
        try await send(.get, "/v1/collections", ["read-consistency": "linearizable"], nil).status == 200)
      #expect(cluster.takeForwarded() == [])
      cluster.set { $0.standing.hasLease = false }
      let answer = try await send(.get, "/v1/collections", ["read-consistency": "linearizable"], nil)
      #expect(answer.status == 503 && answer.code == "out_of_date")
      // Another node may have made what this one does not have.
      let refusal = try await send(.delete, "/v1/collections/City/1", [:], nil)
      #expect(refusal.status == 503 && refusal.code == "out_of_date")
      #expect(cluster.takeForwarded() == [])
    }
  }

  @Test func `a read waits for a version, and asks the leader where it does not come`() async throws {
    try await with { cluster, send in
      #expect(try await send(.get, "/v1/collections", ["if-version-at-least": "1"], nil).status == 200)
      #expect(cluster.takeForwarded() == [])
      #expect(try await send(.get, "/v1/collections", ["if-version-at-least": "9"], nil).status == 201)
      #expect(try await send(.get, "/v1/schema", ["read-consistency": "linearizable"], nil).status == 201)
      #expect(cluster.takeForwarded() == ["GET /v1/collections ", "GET /v1/schema "])
      for fields in [
        ["if-version-at-least": "x"], ["if-version-at-least": "-1"], ["read-consistency": "strong"],
      ] {
        let answer = try await send(.get, "/v1/collections", fields, nil)
        #expect(answer.status == 400 && answer.code == "invalid_precondition")
      }
      cluster.set { $0.standing.isLeading = true }
      let answer = try await send(.get, "/v1/collections", ["if-version-at-least": "9"], nil)
      #expect(answer.status == 400 && answer.code == "version_ahead")
    }
  }

  @Test func `a node that follows asks the leader about a credential that it does not know`() async throws {
    try await with(adminKey: "the key of the administrator") { cluster, send in
      let unknown = ["authorization": "Bearer somebody's"]
      let sent = try await send(.get, "/v1/collections", unknown, nil)
      #expect(sent.status == 201)
      #expect(cluster.takeForwarded() == ["GET /v1/collections "])
      cluster.set { $0.outcome = .unreachable }
      let lost = try await send(.get, "/v1/collections", unknown, nil)
      #expect(lost.code == "not_leader")
      _ = cluster.takeForwarded()
      // Nobody knows more of a request without one, or that another node has sent on; a stream stays where it is.
      for (name, value) in [
        ("x-nothing", "1"), ("via", "1.1 gatehouse-cluster"), ("accept", "text/event-stream"),
      ] {
        var fields = name == "x-nothing" ? [:] : unknown
        fields[name] = value
        let answer = try await send(.get, "/v1/collections", fields, nil)
        #expect(answer.status == 401)
      }
      cluster.set { $0.standing.isLeading = true }
      let answer = try await send(.get, "/v1/collections", unknown, nil)
      #expect(answer.status == 401)
      #expect(cluster.takeForwarded() == [])
    }
  }

  @Test func `the leader is asked about the credentials of a caller so often, and no more`() async throws {
    try await with(adminKey: "the key of the administrator") { cluster, send in
      for (number, status) in [201, 201, 401].enumerated() {
        let answer = try await send(.get, "/v1/collections", ["authorization": "Bearer \(number)"], nil)
        #expect(answer.status == status)
      }
      #expect(cluster.takeForwarded().count == 2)
      let known = ["authorization": "Bearer the key of the administrator"]
      #expect(try await send(.get, "/v1/collections", known, nil).status == 200)
    }
  }

  @Test func `what is for the main group alone is sent on as such`() async throws {
    let directory = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(directory)'") }
    let group = ClassGroup(name: "archive", classes: ["Order"])
    var options = StoreOptions()
    options.classBounds = .only(group.classes)
    let store = try Store(directory: directory, options: options)
    let order = #"{"name":"Order","properties":{"n":"int"}}"#
    let own = #"{"name":"Own","properties":{"n":"int"}}"#
    _ = try await store.apply(Schema(notation: Value(json: Array("[\(order)]".utf8))), destructive: false)
    try await with(group: (group, store)) { cluster, send in
      cluster.set { $0.outcome = .answered(Response(status: .ok)) }
      // The node that leads would take a part for the whole, and remove the classes of the group.
      _ = try await send(.put, "/v1/schema", [:], "[\(order),\(own)]")
      let forwarded = cluster.takeForwarded()
      #expect(
        forwarded.count == 1 && forwarded[0].hasPrefix("PUT /v1/groups/main/schema [{")
          && !forwarded[0].contains("Order"), "\(forwarded)")
      _ = try await send(.get, "/v1/groups/main/changes", ["if-version-at-least": "9"], nil)
      _ = try await send(.post, "/v1/groups/main/transactions", [:], #"{"operations":[]}"#)
      _ = try await send(.get, "/v1/collections", ["if-version-at-least": "9"], nil)
      _ = try await send(.put, "/v1/schema/Own", [:], own)
      #expect(
        cluster.takeForwarded() == [
          "GET /v1/groups/main/changes ", #"POST /v1/groups/main/transactions {"operations":[]}"#,
          "GET /v1/collections ", "PUT /v1/schema/Own \(own)",
        ])
    }
    await store.close()
  }

  @Test func `a stream that comes back waits for what another node has told, and is sent to no other`()
    async throws
  {
    try await with { cluster, send in
      let last = ["accept": "text/event-stream", "last-event-id": "9"]
      let streams = #"[{"url":"/v1/collections","lastEventId":"9"}]"#
      let answers = [
        try await send(.get, "/v1/collections", last, nil),
        try await send(.post, "/v1/streams", [:], streams),
      ]
      for answer in answers { #expect(answer.status == 503 && answer.code == "out_of_date") }
      for fields in [["if-version-at-least": "9"], ["read-consistency": "linearizable"]] {
        let fields = fields.merging(["accept": "text/event-stream"]) { $1 }
        let answer = try await send(.get, "/v1/collections", fields, nil)
        #expect(answer.status == 503 && answer.code == "out_of_date")
      }
      // An endpoint that only streams does so without being asked for it.
      let watch = "/api/client/v2.0/app/a/functions/call"
      #expect(try await send(.get, watch, ["if-version-at-least": "9"], nil).status == 503)
      #expect(cluster.takeForwarded() == [])
      // A request that prefers something else, or is for what never streams, has an end.
      let others = ["if-version-at-least": "9", "accept": "text/event-stream;q=0.5, application/json"]
      #expect(try await send(.get, "/v1/collections", others, nil).status == 201)
      let one = ["if-version-at-least": "9", "accept": "text/event-stream"]
      #expect(try await send(.get, "/v1/schema", one, nil).status == 201)
      #expect(cluster.takeForwarded() == ["GET /v1/collections ", "GET /v1/schema "])
      // Nobody has been told more than the node has that leads for certain.
      cluster.set { ($0.standing.isLeading, $0.standing.hasLease) = (true, true) }
      #expect(try await send(.get, "/v1/collections", last, nil).status == 200)
    }
  }

  @Test func `a node without news reads nothing, and is not ready`() async throws {
    try await with { cluster, send in
      cluster.set { $0.standing.isFresh = false }
      for path in ["/v1/collections", "/readyz"] {
        let answer = try await send(.get, path, [:], nil)
        #expect(answer.status == 503 && answer.code == "out_of_date")
      }
      #expect(try await send(.get, "/livez", [:], nil).status == 200)
    }
  }

  @Test func `a request that the leader has not answered says whether anything was done`() async throws {
    try await with { cluster, send in
      cluster.set { $0.outcome = .unreachable }
      let path = "/v1/collections/City/1"
      #expect(try await send(.delete, path, [:], nil).code == "not_leader")
      cluster.set { $0.outcome = .unknown }
      #expect(try await send(.delete, path, [:], nil).code == "outcome_unknown")
      #expect(
        try await send(.get, "/v1/schema", ["read-consistency": "linearizable"], nil).code == "not_leader")
      cluster.set { $0.outcome = .leading }
      #expect(try await send(.delete, path, [:], nil).code == "object_not_found")
      _ = cluster.takeForwarded()
      cluster.set { $0.standing.leader = nil }
      let large = try await send(.put, path, [:], String(repeating: " ", count: 201))
      #expect(large.code == "not_leader" && large.fields["gatehouse-leader"] == "none")
      #expect(cluster.takeForwarded() == [])
    }
  }

  @Test func `operators see the node that they ask, and have it stop to lead`() async throws {
    try await with { cluster, send in
      let state = try await send(.get, "/v1/cluster", [:], nil)
      #expect(
        state.text
          == #"{"node":"n2:8080","role":"follower","leader":"n1:8080","epoch":2,"position":7,"version":1,"fresh":true,"lease":false,"digest":null,"apps":[]}"#
      )
      #expect(try await send(.post, "/v1/cluster/step-down", [:], "{}").text.contains("n3:8080"))
      let unknown = try await send(.post, "/v1/cluster/step-down", [:], #"{"app":"shop"}"#)
      #expect(unknown.status == 404 && unknown.text.contains("app_not_found"), "\(unknown.text)")
      let stood = try await send(.post, "/v1/cluster/stand", [:], #"{"app":"club"}"#)
      #expect(stood.text.contains(#""leader":"club""#), "\(stood.text)")
      for content in ["[]", #"{"app":1}"#, #"{"node":"n"}"#] {
        let refused = try await send(.post, "/v1/cluster/stand", [:], content)
        #expect(refused.status == 422, "\(content)")
      }
      #expect(try await send(.get, "/v1/cluster/snapshot", [:], nil).content == [1, 2])
      #expect(cluster.takeForwarded() == [])
      // All nodes are asked by the one that leads, and each tells of its own.
      _ = try await send(.post, "/v1/cluster/digests", [:], "{}")
      #expect(cluster.takeForwarded() == ["POST /v1/cluster/digests {}"])
      cluster.set { ($0.standing.isLeading, $0.standing.hasLease) = (true, true) }
      let begun = try await send(.post, "/v1/cluster/digests", [:], "{}")
      #expect(begun.status == 202 && begun.text == #"{"comparison":"c1"}"#)
      #expect(try await send(.post, "/v1/cluster/digests", [:], #"{"a":1}"#).status == 422)
      cluster.set { $0.digest = ClusterAccess.Digest(comparison: "c1", version: 3, sha256: nil) }
      #expect(
        try await send(.get, "/v1/cluster", [:], nil).text
          .hasSuffix(#""digest":{"comparison":"c1","version":3,"sha256":null},"apps":[]}"#))
      cluster.set { $0.digest?.sha256 = "0a" }
      #expect(try await send(.get, "/v1/cluster", [:], nil).text.hasSuffix(#""sha256":"0a"},"apps":[]}"#))
    }
    try await Fixture.with { fixture in
      for path in ["/v1/cluster", "/v1/cluster/snapshot"] {
        let answer = try await fixture.send(.get, path)
        #expect(answer.status == 404 && answer.code == "no_cluster")
      }
    }
  }
}
