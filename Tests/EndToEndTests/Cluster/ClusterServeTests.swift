import GatehouseStoredFiles
import GatehouseTestSupport
import Glibc
import Testing

/// Three servers that are nodes of a cluster, on a log of three NATS servers.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .timeLimit(.minutes(30)))
struct ClusterServeTests {
  static let schema = """
    [{"name":"Item","primaryKey":"_id","properties":{"_id":"int","text":"string"}}]
    """

  /// Creates an object at a node, again where nothing was done, or nobody knows: with the same key it is done once.
  private static func create(_ id: Int, at nodes: [ServedNode]) throws -> Int {
    for attempt in 0..<400 {
      let node = nodes[(id + attempt) % nodes.count]
      let answer = try? node.send(
        "POST", "/v1/collections/Item", fields: ["Idempotency-Key": "\"item-\(id)\""],
        body: #"{"_id":\#(id),"text":"text of \#(id)"}"#)
      if let answer, answer.status.hasPrefix("201") {
        return try #require(answer.fields["realm-version"].flatMap { Int($0) })
      }
      if let answer, !answer.status.hasPrefix("503") {
        Issue.record("\(answer.status) \(answer.body)")
        return 0
      }
      usleep(50_000)
    }
    Issue.record("object \(id) could not be created")
    return 0
  }

  private static func expectObjects(_ count: Int, at nodes: [ServedNode], since version: Int) throws {
    for node in nodes {
      for id in [0, count / 2, count - 1] {
        let answer = try node.send(
          "GET", "/v1/collections/Item/\(id)", fields: ["If-Version-At-Least": String(version)])
        #expect(answer.status == "200 OK", "\(node.address) \(answer.body)")
      }
      let answer = try node.send(
        "GET", "/v1/collections", fields: ["If-Version-At-Least": String(version)])
      #expect(answer.body.contains(#""count":\#(count)}"#), "\(node.address) \(answer.body)")
    }
  }

  /// Makes a key at one node: all know it, and nobody answers any more without one.
  private static func expectKeys(at nodes: [ServedNode]) throws {
    let made = try nodes[2].send("POST", "/v1/keys", body: #"{"name":"k","role":"admin"}"#)
    #expect(made.status == "201 Created", "\(made.body)")
    let key = try #require(made.json["key"]?.string)
    for node in nodes {
      var status = ""
      for _ in 0..<500 where !status.hasPrefix("401") {
        status = try node.send("GET", "/v1/collections").status
        usleep(10_000)
      }
      #expect(status.hasPrefix("401"), "\(node.address)")
      let answer = try node.send("GET", "/v1/collections", fields: ["Authorization": "Bearer \(key)"])
      #expect(answer.status == "200 OK", "\(node.address)")
    }
  }

  @Test func `nodes are one service, of which any may be killed`() throws {
    let servers = try LogServers()
    let ports = Machine.freePorts(3)
    let nodes = try ports.map { try ServedNode(servers.setting, port: $0) }
    for node in nodes { try node.start() }

    // A follower sends on what writes, and each has it.
    let applied = try nodes[1].send("PUT", "/v1/schema", body: Self.schema)
    #expect(applied.status == "200 OK", "\(applied.body)")
    var version = 0
    for id in 0..<30 { version = try Self.create(id, at: nodes) }
    try Self.expectObjects(30, at: nodes, since: version)
    for node in nodes {
      #expect(try node.send("GET", "/readyz").status == "200 OK")
      let answer = try node.send(
        "GET", "/v1/collections/Item/3", fields: ["Read-Consistency": "linearizable"])
      #expect(answer.status == "200 OK")
      #expect(
        try node.send("GET", "/v1/collections/Item/3", fields: ["Read-Consistency": "eventual"]).json["code"]
          == .string("invalid_precondition"))
    }
    // The first one has begun the log. What it had acknowledged when it died is there, and others go on.
    nodes[0].kill()
    for id in 30..<60 { version = try Self.create(id, at: Array(nodes[1...])) }
    try Self.expectObjects(60, at: Array(nodes[1...]), since: version)
    try nodes[0].start()
    try Self.expectObjects(60, at: nodes, since: version)
    // One that is told to stop has another one lead first.
    #expect(nodes[1].stop() == 0)
    for id in 60..<80 { version = try Self.create(id, at: [nodes[0], nodes[2]]) }
    try nodes[1].start()
    try Self.expectObjects(80, at: nodes, since: version)
    try Self.expectKeys(at: nodes)

    for node in nodes { #expect(node.stop() == 0) }
    let files = try nodes.map { try FileContent("\($0.folder.data)/gatehouse.db") }
    for (node, file) in zip(nodes, files) {
      #expect(files[0].differences(to: file) == [])
      let check = try Gatehouse.run(["check", "--data", node.folder.data], in: node.folder)
      #expect(check.status == 0, "\(check.output) \(check.error)")
      // Whatever one of these writes would be in no log.
      let input = try node.folder.write("[]", to: "input.json")
      for arguments in [
        ["compact"], ["key", "create", "--role", "admin"], ["schema", "apply", input],
        ["import", "Item", input],
      ] {
        let refused = try Gatehouse.run(arguments + ["--data", node.folder.data], in: node.folder)
        #expect(refused.status == 1 && refused.error.contains("cluster"), "\(arguments) \(refused.error)")
      }
    }
  }

  @Test func `a server that has objects begins a cluster, and a new node copies its store`() throws {
    let servers = try LogServers()
    let ports = Machine.freePorts(2)
    let first = try ServedNode(servers.setting, port: ports[0], in: Sample.nodeStore())
    let second = try ServedNode(servers.setting, port: ports[1])
    try first.start()
    try second.start()
    let answer = try second.send(
      "POST", "/v1/collections/Node", body: #"{"_id":1,"label":"one","next":null}"#)
    #expect(answer.status == "201 Created", "\(answer.body)")
    for node in [first, second] {
      let found = try node.send("GET", "/v1/collections/Node/1", fields: ["If-Version-At-Least": "2"])
      #expect(found.status == "200 OK", "\(found.body)")
      let state = try node.send("GET", "/v1/cluster").json
      #expect(state["leader"] == .string(first.address) && state["version"] == .int(2), "\(state)")
    }
    // The other one leads when the first is asked to stop.
    #expect(try first.send("POST", "/v1/cluster/step-down", body: "{}").status == "200 OK")
    let next = try first.send("DELETE", "/v1/collections/Node/1")
    #expect(next.status == "204 No Content", "\(next.body)")
    #expect(try second.send("GET", "/v1/cluster").json["role"] == .string("leader"))
    #expect(try first.send("GET", "/v1/schema", fields: ["If-Version-At-Least": "3"]).status == "200 OK")
    for node in [first, second] { #expect(node.stop() == 0) }
    let files = try [first, second].map { try FileContent("\($0.folder.data)/gatehouse.db") }
    #expect(files[0].differences(to: files[1]) == [])
  }

  @Test func `keys of a server that was alone are good at all nodes of a cluster that it begins`() throws {
    let servers = try LogServers()
    let ports = Machine.freePorts(4)
    let environment = ["GATEHOUSE_ADMIN_KEY=an operator's key of a test"]
    let node = { try ServedNode(servers.setting, port: ports[$0], environment: environment) }
    let (first, second, third, stranger) = (try node(0), try node(1), try node(2), try node(3))
    func makeKey(_ folder: Folder) throws -> String {
      let made = try Gatehouse.run(["key", "create", "--role", "admin", "--data", folder.data], in: folder)
      try #require(made.status == 0, "\(made.error)")
      return String(try #require(made.output.split(separator: "\n").first))
    }
    let key = try makeKey(first.folder)
    _ = try makeKey(stranger.folder)
    // It has made nothing but the keys that tokens are signed with.
    #expect(try RunningServer(third.folder).stop() == 0)
    let nodes = [first, second, third]
    for node in nodes { try node.start() }
    for node in nodes {
      let answer = try node.ask("GET", "/v1/keys", key)
      #expect(answer.status == "200 OK", "\(node.address) \(answer.body)")
    }
    let verified = try Gatehouse.run(
      ["cluster", "verify", nodes.map(\.address).joined(separator: ",")], environment: environment,
      in: first.folder)
    #expect(verified.status == 0, "\(verified)")
    let refused = try stranger.run(["serve", "--listen", stranger.address])
    #expect(refused.status == 1 && refused.error.contains("no part in the cluster"), "\(refused.error)")
    for node in nodes { #expect(node.stop() == 0) }
  }

  @Test func `a node says why it does not start`() throws {
    let folder = try Folder()
    for (setting, text) in [
      ("mongodb://n1", "cluster must begin with nats://, tls://, etcd:// or etcds://"),
      ("nats://n1?size=3", "cluster has no parameter “size”"),
    ] {
      let outcome = try Gatehouse.run(
        ["serve", "--data", folder.data], environment: ["GATEHOUSE_CLUSTER=\(setting)"], in: folder)
      #expect(outcome.status == 1 && outcome.error.contains(text), "\(outcome.error)")
    }
    let outcome = try Gatehouse.run(
      ["serve", "--data", folder.data, "--listen", "127.0.0.1:0"],
      environment: ["GATEHOUSE_CLUSTER=nats://127.0.0.1"], in: folder)
    #expect(outcome.status == 1 && outcome.error.contains("clusterAddress"), "\(outcome.error)")
  }
}
