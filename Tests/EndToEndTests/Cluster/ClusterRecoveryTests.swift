import Dispatch
import GatehouseTestSupport
import Glibc
import Testing

/// Clusters whose log is gone, or whose stores are no longer the same.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .timeLimit(.minutes(30)))
struct ClusterRecoveryTests {
  private let servers: LogServers
  private let nodes: [ServedNode]

  init() throws {
    let servers = try LogServers()
    nodes = try Machine.freePorts(3).map { try ServedNode(servers.setting, port: $0) }
    self.servers = servers
    for node in nodes { try node.start() }
    #expect(try nodes[0].send("PUT", "/v1/schema", body: ClusterServeTests.schema).status == "200 OK")
  }

  private func create(_ ids: Range<Int>, at node: ServedNode) throws {
    for id in ids {
      let answer = try node.ask(
        "POST", "/v1/collections/Item", fields: ["Idempotency-Key": "\"\(id)\""],
        body: #"{"_id":\#(id),"text":"text of \#(id)"}"#)
      #expect(answer.status == "201 Created", "\(answer.body)")
    }
  }

  /// Compares the stores of all nodes.
  private func verify() throws -> Gatehouse.Outcome {
    try Gatehouse.run(
      ["cluster", "verify", nodes.map(\.address).joined(separator: ",")], in: nodes[0].folder)
  }

  private func expectSame(_ count: Int) throws {
    let outcome = try verify()
    #expect(outcome.status == 0 && outcome.error == "the stores are the same\n", "\(outcome)")
    #expect(outcome.lines.count == 3)
    #expect(Set(outcome.lines.compactMap { $0.components(separatedBy: ", at ", atMost: 2).last }).count == 1)
    for node in nodes {
      let answer = try node.send("GET", "/v1/collections")
      #expect(answer.body.contains(#""count":\#(count)}"#), "\(node.address) \(answer.body)")
    }
  }

  @Test func `a log that is gone is begun anew with the store that has come furthest`() throws {
    try create(0..<10, at: nodes[0])
    try expectSame(10)
    nodes[2].kill()
    try create(10..<20, at: nodes[1])
    // There is no need while the log is there.
    let stated = try nodes[2].run(["cluster", "recover"])
    let behind = try #require(stated.output.firstMatch(of: /version (\d+), entry \d+\n/)?.1)
    let needless = try nodes[2].run(["cluster", "recover", String(behind)])
    #expect(needless.status == 1 && needless.error.contains("has entries"), "\(needless)")

    servers.wipe()
    for node in nodes[..<2] { node.kill() }
    try servers.startAll()
    let versions = try nodes.map { node in
      try #require(try node.run(["cluster", "recover"]).output.firstMatch(of: /version (\d+)/)?.1)
    }
    #expect(versions[2] == behind)
    let furthest = try #require(versions.compactMap { Int($0) }.max())
    let place = try #require(versions.firstIndex { Int($0) == furthest })
    let other = try nodes[place].run(["cluster", "recover", String(furthest + 1)])
    #expect(other.status == 1 && other.error.contains("version \(furthest)"), "\(other)")
    let recovered = try nodes[place].run(["cluster", "recover", String(furthest)])
    #expect(recovered.status == 0, "\(recovered)")
    #expect(try nodes[place].run(["cluster", "recover"]).status == 1)

    try nodes[place].start()
    // The others are of a log that is not there any more.
    for node in nodes where node !== nodes[place] {
      let copied = try node.run(["cluster", "snapshot", nodes[place].address])
      #expect(copied.status == 0, "\(copied)")
      try node.start()
    }
    try expectSame(20)
    try create(20..<25, at: nodes[2])
    try expectSame(25)
    for node in nodes { #expect(node.stop() == 0) }
  }

  @Test(arguments: [false, true])
  func `a node that has nothing, or an empty store, does not begin a log that is gone`(hasStore: Bool) throws
  {
    try create(0..<10, at: nodes[0])
    for node in nodes { node.kill() }
    servers.wipe()
    try servers.startAll()
    let setting = servers.setting(through: servers.ports, begins: false)
    let empty = try ServedNode(setting, port: Machine.freePorts(1)[0])
    if hasStore { #expect(try RunningServer(empty.folder).stop() == 0) }
    // It listens once it has a store.
    nonisolated(unsafe) let late = empty
    let start = DispatchGroup()
    DispatchQueue.global().async(group: start) {
      do { try late.start() } catch { Issue.record("\(error)") }
    }
    var told = ""
    for _ in 0..<1_500 where !told.contains("begin=no") {
      usleep(20_000)
      told = (try? empty.folder.contents(empty.folder.file("serve.log"))) ?? ""
    }
    #expect(told.contains("the log is empty"), "\(told)")
    let version = try nodes[0].run(["cluster", "recover"]).output.firstMatch(of: /version (\d+)/)?.1
    let recovered = try nodes[0].run(["cluster", "recover", String(try #require(version))])
    #expect(recovered.status == 0, "\(recovered)")
    try nodes[0].start()
    start.wait()
    let counts = try empty.ask("GET", "/v1/collections") { $0.body.contains(#""count":10}"#) }
    #expect(counts.status == "200 OK")
    for node in [nodes[0], empty] { #expect(node.stop() == 0) }
  }

  @Test(.enabled(if: Geonames.python != nil, "Python is not installed"))
  func `a store that something else has changed is found, and becomes a copy`() throws {
    try create(0..<5, at: nodes[0])
    let statement = "UPDATE Item SET text = 'changed' WHERE _id = 3"
    let changed = Machine.run(
      "\(Geonames.python ?? "python3") -c \"import sqlite3; c = sqlite3.connect('\(nodes[2].folder.data)/gatehouse.db'); c.execute(\\\"\(statement)\\\"); c.commit()\""
    )
    #expect(changed.status == 0, "\(changed.output)")
    let outcome = try verify()
    #expect(outcome.status == 1 && outcome.error.contains("have parted"), "\(outcome)")
    // Nobody may be serving it.
    #expect(try nodes[2].run(["cluster", "snapshot", nodes[0].address]).status == 1)
    #expect(nodes[2].stop() == 0)
    let copied = try nodes[2].run(["cluster", "snapshot", nodes[0].address])
    #expect(copied.status == 0, "\(copied)")
    try nodes[2].start()
    try expectSame(5)
    for node in nodes { #expect(node.stop() == 0) }
    // A store that is no node's is not given up.
    let alone = try Sample.nodeStore()
    let kept = try Gatehouse.run(
      ["cluster", "snapshot", nodes[0].address, "--data", alone.data], in: alone)
    #expect(kept.status == 1 && kept.error.contains("no store of a cluster's node"), "\(kept)")
  }
}
