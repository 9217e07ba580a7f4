import GatehouseTestSupport
import Glibc
import Testing

/// Clients go on at another node when the one that they had ends.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .timeLimit(.minutes(30)))
struct ClusterFailoverTests {
  private let servers: LogServers

  init() throws { servers = try LogServers() }

  /// Starts three nodes with the class of the tests.
  private func nodes(_ settings: [String] = []) throws -> [ServedNode] {
    let nodes = try Machine.freePorts(3).map {
      try ServedNode(servers.setting, port: $0, environment: settings)
    }
    for node in nodes { try node.start() }
    #expect(try nodes[1].send("PUT", "/v1/schema", body: ClusterServeTests.schema).status == "200 OK")
    return nodes
  }

  private static func leader(of nodes: [ServedNode]) throws -> ServedNode {
    let name = try nodes[0].send("GET", "/v1/cluster").json["leader"]?.string
    return try #require(nodes.first { $0.address == name })
  }

  private static func create(_ ids: Range<Int>, at nodes: [ServedNode]) throws {
    for id in ids {
      let answer = try nodes[id % nodes.count].ask(
        "POST", "/v1/collections/Item",
        fields: ["Idempotency-Key": "\"item-\(id)\""],
        body: #"{"_id":\#(id),"text":"text of \#(id)"}"#)
      #expect(answer.status == "201 Created", "\(answer.body)")
    }
  }

  @Test func `a leader that is stopped keeps nobody waiting who has asked another node`() throws {
    let nodes = try nodes()
    let leader = try Self.leader(of: nodes)
    let others = nodes.filter { $0 !== leader }
    leader.server?.process.send(SIGSTOP)
    // They are answered while it is stopped, whether it had them or not.
    for (id, node) in others.enumerated() {
      let answer = try node.send(
        "POST", "/v1/collections/Item", fields: ["Idempotency-Key": "\"item-\(id)\""],
        body: #"{"_id":\#(id),"text":"text of \#(id)"}"#)
      #expect(["201 Created", "503 Service Unavailable"].contains(answer.status), "\(answer.status)")
    }
    try Self.create(0..<4, at: others)
    leader.server?.process.send(SIGCONT)
    try Self.create(0..<6, at: nodes)
    let counted = try leader.ask("GET", "/v1/collections", fields: ["Read-Consistency": "linearizable"])
    #expect(counted.body.contains(#""count":6}"#), "\(counted.body)")
    for node in nodes { #expect(node.stop() == 0) }
  }

  @Test func `a stream goes on at another node behind the last event, and a repeated request is done once`()
    throws
  {
    let nodes = try nodes()
    let path = "/v1/collections/Item?since=1"
    let streams = try nodes.map { try NodeStream($0.port, path) }
    try Self.create(0..<10, at: nodes)
    let events = try streams.map { try $0.objects(10) }
    #expect(events[0].count == 10 && Set(events[0].map(\.id)).count == 10)
    #expect(events[0] == events[1] && events[1] == events[2])

    // The answer of the node that dies is that of the one that leads then.
    let leader = try Self.leader(of: nodes)
    let key = ["Idempotency-Key": "\"repeated\""]
    let content = #"{"_id":10,"text":"once"}"#
    let first = try leader.send("POST", "/v1/collections/Item", fields: key, body: content)
    #expect(first.status == "201 Created", "\(first.body)")
    leader.kill()
    let others = nodes.filter { $0 !== leader }
    for node in others {
      let again = try node.ask("POST", "/v1/collections/Item", fields: key, body: content)
      #expect(again.status == first.status && again.body == first.body)
      #expect(again.fields["realm-version"] == first.fields["realm-version"])
      let other = try node.ask("POST", "/v1/collections/Item", fields: key, body: #"{"_id":99}"#)
      #expect(other.status.hasPrefix("422"), "\(other.body)")
    }
    try Self.create(11..<20, at: others)
    for node in others {
      let rest = try NodeStream(node.port, path, last: events[0][6].id).objects(13)
      #expect(Array(rest.prefix(3)) == Array(events[0][7...]))
      #expect(rest.map(\.data).enumerated().allSatisfy { $1.contains("\"_id\":\($0 + 7)") }, "\(rest)")
      #expect(Set(rest.map(\.id)).count == 13)
    }
    // It has the same events when it is back.
    try leader.start()
    let back = try NodeStream(leader.port, path).objects(20)
    #expect(back == (try NodeStream(others[0].port, path).objects(20)))
    #expect(back.count == 20)
    for node in nodes { #expect(node.stop() == 0) }
  }

  @Test(.enabled(if: Geonames.python != nil, "Python is not installed"))
  func `a trigger is called by the node that leads, and by the next one for what comes then`() throws {
    let folder = try Folder()
    let peer = try PeerServer("webhook_server.py", ["take"], in: folder)
    defer { peer.stop() }
    let nodes = try nodes(["GATEHOUSE_OUTBOUND_ALLOW=127.0.0.0/8"])
    for node in nodes {
      try AppFiles.write("open sesame", to: "auth/secrets/hook", node.folder)
      try AppFiles.write(
        """
        {"name":"made","type":"DATABASE","config":{"collection":"Item","operation_types":["INSERT"]},
         "event_processors":{"WEBHOOK":{"config":{"url":"http://127.0.0.1:\(peer.port)/made","secret_name":"hook"}}}}
        """, to: "triggers/made.json", node.folder)
    }
    /// The objects that it was called for, by the identifiers of the events.
    func calls() throws -> [(event: JSON, object: Int64)] {
      try peer.log.split(separator: "\n").map { line in
        let event = try JSON(line.split(separator: " ", maxSplits: 2).map(String.init)[2])
        let key = event["documentKey"]?["_id"]
        let text = key?["$numberInt"]?.string ?? key?["$numberLong"]?.string
        guard let name = event["_id"] else { throw SystemError(call: String(line), code: 0) }
        if case .int(let id)? = key { return (name, id) }
        return (name, try #require(text.flatMap { Int64($0) }, "\(line)"))
      }
    }
    let watching = try #require(nodes[0].server)
    // It begins where the store is when it is first seen.
    #expect(
      try watching.soon { try nodes[0].ask("GET", "/v1/triggers").body.contains("\"position\":\"") })
    try Self.create(0..<10, at: nodes)
    #expect(try watching.soon { try calls().count >= 10 })
    #expect(try calls().map(\.object) == Array(0..<10))

    let leader = try Self.leader(of: nodes)
    leader.kill()
    let others = nodes.filter { $0 !== leader }
    try Self.create(10..<20, at: others)
    let server = try #require(others[0].server)
    #expect(try server.soon { try Set(calls().map(\.object)).count == 20 })
    // A change that the node which died has not noted may come again, as the same event.
    let all = try calls()
    #expect(Set(all.map(\.event)).count == 20)
    for call in all { #expect(all.first { $0.object == call.object }?.event == call.event) }
    #expect(all.suffix(10).map(\.object) == Array(10..<20))
    for node in others { #expect(node.stop() == 0) }
  }

  @Test func `scopes and users are the cluster's, and each node's trail is whole`() throws {
    let nodes = try nodes(["GATEHOUSE_AUDIT=onDemand"])
    try Self.create(0..<5, at: nodes)
    let client = "/api/client/v2.0"
    let login = try nodes[2].ask(
      "POST", "\(client)/app/a/auth/providers/anon-user/login", body: "{}"
    ).json
    let user = try #require(login["user_id"]?.string)
    let access = ["Authorization": "Bearer \(try #require(login["access_token"]?.string))"]
    let refresh = ["Authorization": "Bearer \(try #require(login["refresh_token"]?.string))"]
    /// Whether all the nodes know the user by the token.
    func expectUser(at nodes: [ServedNode]) throws {
      for node in nodes {
        let server = try #require(node.server)
        #expect(
          try server.soon {
            try node.send("GET", "\(client)/auth/profile", fields: access).json["user_id"]?.string == user
          }, "\(node.address)")
      }
    }
    try expectUser(at: nodes)
    /// Begins a scope at one node, reads in it at another one, and ends it at a third.
    func record(_ activity: String, at nodes: [ServedNode]) throws -> RunningServer.Answer {
      let begun = try nodes[0].ask("POST", "/v1/audit/scopes", body: #"{"activity":"\#(activity)"}"#)
      let id = try #require(begun.fields["location"]?.split(separator: "/").last, "\(begun.body)")
      let read = try nodes[1].ask("GET", "/v1/collections/Item/3", fields: ["Audit-Scope": String(id)])
      #expect(read.status == "200 OK", "\(read.body)")
      return try nodes[nodes.count - 1].ask("POST", "/v1/audit/scopes/\(id)/commit", body: "{}")
    }
    let recorded = try record("first", at: nodes)
    #expect(recorded.status == "204 No Content", "\(recorded.body)")
    // A stream stays at its node, and only the one that leads can record what it shows.
    let follower = try #require(try nodes.first { $0 !== (try Self.leader(of: nodes)) })
    let stream = try follower.send(
      "GET", "/v1/collections/Item", fields: ["Accept": "text/event-stream", "Audit-Activity": "look"])
    #expect(try stream.json["code"]?.string == "not_leader", "\(stream.status) \(stream.body)")
    #expect(stream.fields["gatehouse-leader"] == (try Self.leader(of: nodes).address))
    // One that is open when its leader dies is gone, as with a server that is alone.
    let open = try nodes[0].ask("POST", "/v1/audit/scopes", body: #"{"activity":"lost"}"#)
    let lost = try #require(open.fields["location"]?.split(separator: "/").last)
    let leader = try Self.leader(of: nodes)
    leader.kill()
    let others = nodes.filter { $0 !== leader }
    let ended = try others[0].ask("POST", "/v1/audit/scopes/\(lost)/commit", body: "{}")
    #expect(ended.status.hasPrefix("4"), "\(ended.status) \(ended.body)")
    let again = try record("second", at: others)
    #expect(again.status == "204 No Content", "\(again.body)")

    // The token is as good as it was, and whoever logs out at one node is out at all.
    try expectUser(at: others)
    let renewed = try others[0].ask("POST", "\(client)/auth/session", fields: refresh, body: "{}")
    #expect(renewed.status.hasPrefix("201"), "\(renewed.status) \(renewed.body)")
    let out = try others[1].ask("DELETE", "\(client)/auth/session", fields: refresh)
    #expect(out.status == "204 No Content", "\(out.body)")
    let refused = try others[0].ask("POST", "\(client)/auth/session", fields: refresh, body: "{}")
    #expect(refused.status.hasPrefix("401"), "\(refused.status) \(refused.body)")

    try leader.start()
    for node in nodes { #expect(node.stop() == 0) }
    let trails = try nodes.map { node in
      try Gatehouse.run(["audit", "verify", "--data", node.folder.data], in: node.folder)
    }
    for trail in trails {
      #expect(trail.status == 0 && trail.error == trails[0].error, "\(trail.error)")
      #expect(!trail.error.hasPrefix("0 "), "\(trail.error)")
    }
  }
}
