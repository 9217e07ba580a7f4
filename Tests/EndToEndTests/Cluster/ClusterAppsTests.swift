import Dispatch
import GatehouseStoredFiles
import GatehouseTestSupport
import Glibc
import Testing

/// Apps of three nodes, each on a log of its own.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .timeLimit(.minutes(30)))
struct ClusterAppsTests {
  private static let operatorKey = "an operator's key of a test"
  private static let asOperator = ["Authorization": "Bearer \(operatorKey)"]

  private let servers: LogServers
  private let nodes: [ServedNode]

  init() throws {
    let servers = try LogServers()
    self.servers = servers
    nodes = try servers.startNodes(operatorKey: ClusterAppsTests.operatorKey)
  }

  /// Asks with a key until there is an answer that stays.
  private func ask(
    _ node: ServedNode, _ method: String, _ path: String, _ key: String, _ body: String? = nil,
    until isWanted: (RunningServer.Answer) -> Bool = { !$0.isMomentary }
  ) throws -> RunningServer.Answer {
    var fields = ["Authorization": "Bearer \(key)"]
    // Repeated where nobody knows whether it was done, it is done once.
    if method == "POST" { fields["Idempotency-Key"] = "\"\(UInt64.random(in: 0...UInt64.max))\"" }
    return try node.ask(method, path, fields: fields, body: body, until: isWanted)
  }

  /// Makes an app with the class of the tests, and returns the key of its administrator. Nodes may not have read yet that one of the name
  /// before it, where there was one, is gone.
  private func make(_ name: String, at node: ServedNode, again isAgain: Bool = false) throws -> String {
    let made = try ask(node, "POST", "/v1/apps", Self.operatorKey, #"{"name":"\#(name)"}"#)
    try #require(made.status == "201 Created", "\(made.status) \(made.body)")
    #expect(made.fields["location"] == "/v1/apps/\(name)")
    let key = try #require(try made.json["key"]?.string)
    // Who has been told of it may ask any node at once.
    for other in nodes where other.isAlive && !isAgain {
      for (path, key) in [("", Self.operatorKey), ("/collections", key)] {
        let answer = try other.send(
          "GET", "/v1/apps/\(name)\(path)", fields: ["Authorization": "Bearer \(key)"])
        #expect(answer.status == "200 OK", "\(other.address) \(answer.status) \(answer.body)")
      }
    }
    // Who was asked knows of it.
    let applied = try ask(node, "PUT", "/v1/apps/\(name)/schema", key, ClusterServeTests.schema) {
      !$0.isMomentary
    }
    #expect(applied.status == "200 OK", "\(applied.status) \(applied.body)")
    return key
  }

  private func create(_ ids: Range<Int>, in app: String, _ key: String, at nodes: [ServedNode]) throws {
    for id in ids {
      let answer = try ask(
        nodes[id % nodes.count], "POST", "/v1/apps/\(app)/collections/Item", key,
        #"{"_id":\#(id),"text":"\#(app) \#(id)"}"#)
      #expect(answer.status == "201 Created", "\(answer.status) \(answer.body)")
      #expect(answer.fields["location"] == "/v1/apps/\(app)/collections/Item/\(id)")
    }
  }

  /// Waits until a node has so many objects of an app.
  private func expectObjects(_ count: Int, in app: String, _ key: String, at nodes: [ServedNode]) throws {
    for node in nodes {
      let answer = try ask(node, "GET", "/v1/apps/\(app)/collections", key) {
        $0.status == "200 OK" && $0.body.contains(#""count":\#(count)}"#)
      }
      #expect(answer.status == "200 OK")
    }
  }

  /// The nodes that lead the apps, as one says that knows.
  private func leaders(_ node: ServedNode) throws -> [String: String] {
    let state = try node.send("GET", "/v1/cluster", fields: Self.asOperator).json
    guard case .array(let apps)? = state["apps"] else { return [:] }
    var leaders: [String: String] = [:]
    for app in apps { leaders[app["name"]?.string ?? ""] = app["leader"]?.string }
    return leaders
  }

  /// Runs a command of an operator, or of an app's.
  private func run(_ arguments: [String], as key: String = operatorKey) throws -> Gatehouse.Outcome {
    try Gatehouse.run(arguments, environment: ["GATEHOUSE_ADMIN_KEY=\(key)"], in: nodes[0].folder)
  }

  private func move(_ app: String, to node: ServedNode) throws {
    let moved = try run(["cluster", "move", app, node.address])
    #expect(moved.status == 0, "\(moved)")
  }

  /// - Parameter apps: Their names, or, of a group of an app's classes, its folder.
  private func expectSameFiles(_ apps: [String]) throws {
    for app in apps {
      let files = try nodes.map { try FileContent("\($0.folder.data)/apps/\(app)/gatehouse.db") }
      for file in files {
        #expect(files[0].differences(to: file).filter { !$0.contains("replication_point") } == [], "\(app)")
      }
      #expect(!files[0].differences(to: try FileContent("\(nodes[0].folder.data)/gatehouse.db")).isEmpty)
    }
  }

  @Test func `apps are made at any node, are on all, and have leaders of their own`() throws {
    let names = ["shop", "club", "park", "bank"]
    var keys: [String: String] = [:]
    for (index, name) in names.enumerated() { keys[name] = try make(name, at: nodes[index % 3]) }
    for name in names {
      let key = try #require(keys[name])
      try create(0..<6, in: name, key, at: nodes)
      try expectObjects(6, in: name, key, at: nodes)
    }
    // A name is had once, whoever is asked.
    for node in nodes {
      let again = try ask(node, "POST", "/v1/apps", Self.operatorKey, #"{"name": "shop"}"#)
      #expect(
        try again.status == "409 Conflict" && again.json["code"]?.string == "app_exists", "\(again.body)")
      #expect(
        try node.send("GET", "/v1/apps/shop/collections", fields: Self.asOperator).status.hasPrefix("401"))
    }
    // Each node in turn leads an app, which takes writes all the time.
    for node in nodes {
      let moved = try run(["cluster", "move", "shop", node.address])
      #expect(moved.status == 0 && moved.output.contains("leader"), "\(moved)")
      #expect(try leaders(node)["shop"] == node.address)
    }
    try create(6..<12, in: "shop", try #require(keys["shop"]), at: nodes)
    let status = try run(["cluster", "status", nodes[1].address])
    #expect(status.status == 0 && names.allSatisfy(status.output.contains), "\(status)")
    let unknown = try run(["cluster", "move", "none", nodes[1].address])
    #expect(unknown.status == 2 && unknown.error.contains("APP"), "\(unknown)")
    // Settings are the log's, too.
    let changed = try ask(
      nodes[2], "PATCH", "/v1/apps/shop", Self.operatorKey, #"{"settings":{"limits.bulkObjects":7}}"#)
    #expect(changed.status == "200 OK", "\(changed.body)")
    for node in nodes {
      _ = try ask(node, "GET", "/v1/apps/shop", Self.operatorKey) {
        $0.body.contains(#""limits.bulkObjects":"7""#) && $0.body.contains(#""open":true"#)
      }
    }
    // Any node may be killed.
    let leader = try leaders(nodes[0])["club"]
    let dead = try #require(nodes.first { $0.address == leader })
    dead.kill()
    let others = nodes.filter { $0 !== dead }
    for name in names { try create(12..<18, in: name, try #require(keys[name]), at: others) }
    try dead.start()
    for name in names {
      try expectObjects(name == "shop" ? 18 : 12, in: name, try #require(keys[name]), at: nodes)
    }
    for node in nodes { #expect(node.stop() == 0) }
    try expectSameFiles(names)
  }

  @Test func `a group of an app's classes has a log and a leader of its own`() throws {
    let key = try make("shop", at: nodes[0])
    try create(0..<3, in: "shop", key, at: nodes)
    let declared = try ask(
      nodes[1], "PUT", "/v1/apps/shop/groups/archive", Self.operatorKey, #"{"classes":["Order"]}"#)
    try #require(declared.status == "200 OK", "\(declared.status) \(declared.body)")
    // All nodes have it before its class is made.
    for node in nodes {
      _ = try ask(node, "GET", "/v1/apps/shop/groups/archive/changes?since=0", key) { $0.status == "200 OK" }
    }
    let type = ClusterServeTests.schema.replacing("Item", with: "Order")
    let applied = try ask(
      nodes[2], "PUT", "/v1/apps/shop/schema/Order", key, String(type.dropFirst().dropLast()))
    #expect(applied.status.hasPrefix("20"), "\(applied.body)")
    let order = { (ids: Range<Int>, nodes: [ServedNode]) in
      for id in ids {
        let answer = try ask(
          nodes[id % nodes.count], "POST", "/v1/apps/shop/collections/Order", key,
          #"{"_id":\#(id),"text":"o"}"#)
        #expect(answer.status == "201 Created", "\(answer.status) \(answer.body)")
        #expect(answer.fields["location"] == "/v1/apps/shop/collections/Order/\(id)")
      }
    }
    let expectOrders = { (count: Int, nodes: [ServedNode]) in
      for node in nodes {
        _ = try ask(node, "GET", "/v1/apps/shop/collections", key) {
          $0.status == "200 OK" && $0.body.contains(#""class":"Order","count":\#(count)}"#)
        }
      }
    }
    try order(0..<6, nodes)
    for (index, node) in nodes.enumerated() {
      // The app and its group are led by two nodes.
      #expect(try run(["cluster", "move", "shop/archive", node.address]).status == 0)
      #expect(try run(["cluster", "move", "shop", nodes[(index + 1) % 3].address]).status == 0)
      #expect(try leaders(node)["shop/archive"] == node.address)
      try order(6 + 3 * index..<9 + 3 * index, nodes)
      try create(3 + 3 * index..<6 + 3 * index, in: "shop", key, at: nodes)
      let both = try ask(
        node, "POST", "/v1/apps/shop/transactions", key,
        #"{"operations":[{"op":"create","class":"Order","value":{"_id":\#(100 + index),"text":"t"}}]}"#)
      #expect(both.status == "200 OK", "\(both.body)")
    }
    try expectOrders(18, nodes)
    // A key that is made at one node is good for the group at all of them.
    let made = try ask(nodes[0], "POST", "/v1/apps/shop/keys", key, #"{"role":"read","classes":["Order"]}"#)
    let reader = try #require(try made.json["key"]?.string, "\(made.body)")
    for node in nodes {
      _ = try ask(node, "GET", "/v1/apps/shop/collections/Order/100", reader) { $0.status == "200 OK" }
    }
    let archiveLeader = try leaders(nodes[0])["shop/archive"]
    let dead = try #require(nodes.first { $0.address == archiveLeader })
    dead.kill()
    let others = nodes.filter { $0 !== dead }
    try order(15..<24, others)
    try create(12..<15, in: "shop", key, at: others)
    // One that has lost the group's data has them again.
    _ = Machine.run("rm -r '\(dead.folder.data)/apps/shop/groups/archive'")
    try dead.start()
    try expectOrders(27, nodes)
    for node in nodes { #expect(node.stop() == 0) }
    try expectSameFiles(["shop", "shop/groups/archive"])
    for node in nodes { try node.start() }
    try expectOrders(27, nodes)
    let refused = try ask(nodes[0], "DELETE", "/v1/apps/shop/groups/archive", Self.operatorKey)
    #expect(try refused.json["code"]?.string == "group_not_empty", "\(refused.body)")
    let removed = try ask(
      nodes[1], "DELETE", "/v1/apps/shop/groups/archive?confirm=archive", Self.operatorKey)
    #expect(removed.status == "204 No Content", "\(removed.body)")
    for node in nodes {
      _ = try ask(node, "GET", "/v1/apps/shop/collections/Order/100", key) { $0.status.hasPrefix("404") }
      for _ in 0..<500 where Machine.run("test -e '\(node.folder.data)/apps/shop/groups/archive'").status == 0
      {
        usleep(20_000)
      }
      #expect(Machine.run("test -e '\(node.folder.data)/apps/shop/groups/archive'").status != 0)
    }
    for node in nodes { #expect(node.stop() == 0) }
  }

  @Test func `an app whose log is gone begins another one with the store that has come furthest`() throws {
    let key = try make("shop", at: nodes[0])
    let kept = try make("club", at: nodes[1])
    try create(0..<6, in: "shop", key, at: nodes)
    try create(0..<3, in: "club", kept, at: nodes)
    try expectObjects(6, in: "shop", key, at: nodes)
    let places = nodes.map(\.address).joined(separator: ",")
    let same = try run(["cluster", "verify", "--app", "shop", places], as: key)
    #expect(same.status == 0 && same.lines.count == 3, "\(same)")
    #expect(try run(["cluster", "verify", "--app", "none", places], as: key).status == 1)

    let identity = Machine.run("cat '\(nodes[0].folder.data)/apps/shop/cluster'").output
    let stream = try #require(try servers.streams().first { $0.contains(identity) })
    let removed = try servers.removeStream(String(stream))
    #expect(removed.contains(#""success":true"#), "\(removed)")
    // The other databases go on.
    try create(3..<6, in: "club", kept, at: nodes)
    for node in nodes { node.kill() }
    let versions = try nodes.map { node in
      let stated = try node.run(["cluster", "recover", "--app", "shop"])
      return try #require(stated.output.firstMatch(of: /version (\d+)/).flatMap { Int($0.1) }, "\(stated)")
    }
    let version = try #require(versions.max())
    let first = nodes[try #require(versions.firstIndex(of: version))]
    // A node that has lost its store of the app as well says why it cannot open it, and has nobody wait for that.
    let empty = try #require(nodes.last { $0 !== first })
    _ = Machine.run("rm -r '\(empty.folder.data)/apps/shop'")
    try empty.start()
    _ = try ask(empty, "GET", "/v1/apps/shop", Self.operatorKey) {
      $0.body.contains("the log of /v1/apps/shop is empty, and has not always been")
    }
    let refused = try empty.send(
      "GET", "/v1/apps/shop/collections", fields: ["Authorization": "Bearer \(key)"])
    #expect(refused.status.hasPrefix("503") && refused.body.contains("app_unavailable"), "\(refused.body)")
    empty.kill()
    let recovered = try first.run(["cluster", "recover", "--app", "shop", String(version)])
    #expect(recovered.status == 0, "\(recovered)")
    // The log of the others is there: there is nothing to recover.
    let needless = try first.run(["cluster", "recover", "--app", "club", "1"])
    #expect(needless.status == 1, "\(needless)")
    try first.start()
    let others = nodes.filter { $0 !== first }
    for node in others { try node.start() }
    try create(6..<8, in: "shop", key, at: [first])
    for node in others {
      #expect(node.stop() == 0)
      let copied = try Gatehouse.run(
        ["cluster", "snapshot", "--app", "shop", first.address, "--data", node.folder.data],
        environment: ["GATEHOUSE_ADMIN_KEY=\(key)"], in: node.folder)
      #expect(copied.status == 0, "\(copied)")
      try node.start()
    }
    try create(8..<12, in: "shop", key, at: nodes)
    try expectObjects(12, in: "shop", key, at: nodes)
    try expectObjects(6, in: "club", kept, at: nodes)
    for node in nodes { #expect(node.stop() == 0) }
    try expectSameFiles(["shop", "club"])
  }

  @Test func `where all logs are gone, apps, groups and shards begin others`() throws {
    let key = try make("shop", at: nodes[0])
    try create(0..<6, in: "shop", key, at: nodes)
    let declared = try ask(
      nodes[0], "PUT", "/v1/apps/shop/groups/archive", Self.operatorKey,
      #"{"classes":["Order"],"shards":2}"#)
    try #require(declared.status == "200 OK", "\(declared.status) \(declared.body)")
    let type = String(ClusterServeTests.schema.replacing("Item", with: "Order").dropFirst().dropLast())
    #expect(try ask(nodes[0], "PUT", "/v1/apps/shop/schema/Order", key, type).status.hasPrefix("20"))
    let orders = "/v1/apps/shop/collections/Order"
    for id in 0..<8 {
      let made = try ask(nodes[0], "POST", orders, key, #"{"_id":\#(id),"text":"o"}"#)
      #expect(made.status == "201 Created", "\(made.status) \(made.body)")
    }
    let counted = #"{"@count":8}"#
    for node in nodes { _ = try ask(node, "GET", "\(orders)?aggregate=@count", key) { $0.body == counted } }
    // The last one has all that the others have.
    for node in nodes.reversed() { #expect(node.stop() == 0) }
    servers.wipe()
    try servers.startAll()
    let apps = ["", "shop", "shop/archive/0", "shop/archive/1"].map { $0.isEmpty ? [] : ["--app", $0] }
    for app in apps {
      let stated = try nodes[0].run(["cluster", "recover"] + app)
      let version = String(try #require(stated.output.firstMatch(of: /version (\d+), entry/)?.1, "\(stated)"))
      let recovered = try nodes[0].run(["cluster", "recover", version] + app)
      #expect(recovered.status == 0, "\(recovered)")
    }
    try nodes[0].start()
    for node in nodes[1...] {
      for app in apps {
        let key = app.isEmpty ? Self.operatorKey : key
        let copied = try Gatehouse.run(
          ["cluster", "snapshot", nodes[0].address, "--data", node.folder.data] + app,
          environment: ["GATEHOUSE_ADMIN_KEY=\(key)"], in: node.folder)
        #expect(copied.status == 0, "\(copied)")
      }
      try node.start()
    }
    try create(6..<9, in: "shop", key, at: nodes)
    try expectObjects(9, in: "shop", key, at: nodes)
    for node in nodes { _ = try ask(node, "GET", "\(orders)?aggregate=@count", key) { $0.body == counted } }
    let moved = try ask(nodes[1], "PATCH", "\(orders)?filter=TRUEPREDICATE", key, #"{"text":"p"}"#)
    #expect(moved.status == "200 OK" && moved.body == #"{"count":8}"#, "\(moved.status) \(moved.body)")
    for node in nodes { #expect(node.stop() == 0) }
  }

  @Test func `a node that was away while apps were made, removed and made again has them right`() throws {
    let (old, gone) = (try make("shop", at: nodes[0]), try make("club", at: nodes[1]))
    try create(0..<5, in: "shop", old, at: nodes)
    try create(0..<5, in: "club", gone, at: nodes)
    try expectObjects(5, in: "shop", old, at: nodes)
    try expectObjects(5, in: "club", gone, at: nodes)
    nodes[2].kill()
    let present = Array(nodes[..<2])
    for name in ["shop", "club"] {
      let removed = try ask(present[1], "DELETE", "/v1/apps/\(name)?confirm=\(name)", Self.operatorKey)
      #expect(removed.status == "204 No Content", "\(removed.status) \(removed.body)")
    }
    let new = try make("shop", at: present[0], again: true)
    let later = try make("park", at: present[1])
    try create(0..<2, in: "shop", new, at: present)
    try create(0..<3, in: "park", later, at: present)
    try nodes[2].start()
    try expectObjects(2, in: "shop", new, at: nodes)
    try expectObjects(3, in: "park", later, at: nodes)
    // The logs of those that are gone are gone, too.
    for _ in 0..<500 where try servers.streams().count > 3 { usleep(20_000) }
    #expect(try servers.streams().count == 3)
    for node in nodes {
      #expect(
        try node.send("GET", "/v1/apps/shop/collections", fields: ["Authorization": "Bearer \(old)"]).status
          .hasPrefix("401"))
      _ = try ask(node, "GET", "/v1/apps/club/collections", gone) { $0.status == "404 Not Found" }
    }
    // One that has lost everything has them again, and so has one whose folder of an app is gone.
    nodes[0].kill()
    nodes[0].wipe()
    nodes[1].kill()
    _ = Machine.run("rm -r '\(nodes[1].folder.data)/apps/park'")
    try nodes[1].start()
    try nodes[0].start()
    try create(2..<8, in: "shop", new, at: nodes)
    try expectObjects(8, in: "shop", new, at: nodes)
    try expectObjects(3, in: "park", later, at: nodes)
    for node in nodes {
      #expect(node.stop() == 0)
      let apps = try node.run(["app", "list"])
      #expect(apps.lines == ["park", "shop"])
    }
    try expectSameFiles(["shop", "park"])
  }

  @Test func `a node that has not read of an app yet does not say that there is none`() throws {
    // The way of one node to the log is silent for a while.
    let proxies = try servers.ports.map { try TCPProxy(to: $0) }
    defer { for proxy in proxies { proxy.end() } }
    let late = try ServedNode(
      servers.setting(through: proxies.map(\.port)), port: Machine.freePorts(1)[0],
      environment: ["GATEHOUSE_ADMIN_KEY=\(Self.operatorKey)"])
    try late.start()
    let first = try make("shop", at: nodes[0])
    _ = try ask(late, "GET", "/v1/apps/shop/collections", first) { $0.status == "200 OK" }
    for proxy in proxies { proxy.fail(.silence) }
    let key = try make("club", at: nodes[1])
    // The node that makes apps says of which there are none.
    let none = try late.send("GET", "/v1/apps/none/collections")
    #expect(none.status == "404 Not Found" && none.body.contains("app_not_found"), "\(none.body)")
    let fields = ["Authorization": "Bearer \(key)"]
    let early = try late.send("GET", "/v1/apps/club/collections", fields: fields)
    #expect(early.status.hasPrefix("503") && early.body.contains("app_unavailable"), "\(early.body)")
    for proxy in proxies { proxy.fail(nil) }
    let answer = try late.ask("GET", "/v1/apps/club/collections", fields: fields)
    #expect(answer.status == "200 OK", "\(answer.status) \(answer.body)")
    for node in nodes + [late] { #expect(node.stop() == 0) }
  }

  @Test func `a class is made in the app's own store, or is a group's, whoever comes first`() throws {
    let key = try make("shop", at: nodes[0])
    try move("shop", to: nodes[1])
    for index in 0..<8 {
      let type = ClusterServeTests.schema.replacing("Item", with: "C\(index)").dropFirst().dropLast()
      nonisolated(unsafe) var declared: RunningServer.Answer?
      nonisolated(unsafe) let first = nodes[index % 3]
      let both = DispatchGroup()
      DispatchQueue.global().async(group: both) {
        declared = try? first.ask(
          "PUT", "/v1/apps/shop/groups/g\(index)", fields: Self.asOperator,
          body: #"{"classes":["C\#(index)"]}"#)
      }
      let other = nodes[(index + 1) % 3]
      // A node that is late is told to ask for the class where the group has it.
      let applied = try ask(other, "PUT", "/v1/apps/shop/schema/C\(index)", key, String(type)) {
        !$0.isMomentary && !$0.body.contains("class_in_other_group")
      }
      both.wait()
      let answer = try #require(declared)
      #expect(applied.status.hasPrefix("20"), "\(applied.status) \(applied.body)")
      #expect(
        answer.status == "200 OK" || answer.body.contains("class_exists"), "\(answer.status) \(answer.body)")
      let isGroups = answer.status == "200 OK"
      _ = try ask(other, "POST", "/v1/apps/shop/collections/C\(index)", key, #"{"_id":1,"text":"c"}"#) {
        $0.status == "201 Created" || $0.body.contains("object_exists")
      }
      for node in nodes {
        _ = try ask(node, "GET", "/v1/apps/shop/collections/C\(index)/1", key) { $0.status == "200 OK" }
        // The object is in one store, and there is no group that has been refused.
        if isGroups {
          let own = try ask(node, "GET", "/v1/apps/shop/groups/main/collections", key)
          #expect(own.status == "200 OK" && !own.body.contains(#""C\#(index)""#), "\(own.body)")
        }
        _ = try ask(node, "GET", "/v1/apps/shop/groups/g\(index)/collections", key) {
          isGroups ? $0.body.contains(#""class":"C\#(index)","count":1}"#) : $0.status == "404 Not Found"
        }
      }
    }
    for node in nodes { #expect(node.stop() == 0) }
  }
}
