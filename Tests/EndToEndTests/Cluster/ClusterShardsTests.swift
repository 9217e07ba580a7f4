import GatehouseTestSupport
import Testing

/// A class whose objects are divided among shards that are led by different nodes.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .timeLimit(.minutes(30)))
struct ClusterShardsTests {
  private static let operatorKey = "an operator's key of a test"
  private static let orders = "/v1/apps/shop/collections/Order"

  private func create(_ ids: Range<Int>, at nodes: [ServedNode], _ key: String) throws {
    for id in ids {
      let made = try nodes[id % nodes.count].ask(
        "POST", Self.orders, key, #"{"_id":\#(id),"text":"o\#(id % 7)"}"#)
      // It may have been done by an attempt whose outcome nobody knew.
      #expect(["201 Created", "409 Conflict"].contains(made.status), "\(id) \(made.status) \(made.body)")
    }
  }

  /// Expects that each of the nodes comes to show all objects, in order, and page by page.
  private func expect(_ count: Int, at nodes: [ServedNode], _ key: String) throws {
    let ids = (0..<count).sorted { ($0 % 7, $0) < ($1 % 7, $1) }
    for node in nodes {
      let path = "\(Self.orders)?sort=text,_id&fields=_id"
      let whole = "[\(ids.map { "{\"_id\":\($0)}" }.joined(separator: ","))]"
      _ = try node.ask("GET", "\(path)&limit=1000", key) { $0.body == whole }
      let page = try node.ask("GET", "\(path)&limit=10", key)
      let link = try #require(page.fields["link"], "\(page.body)")
      // A cursor is good at any node.
      let other = nodes[((nodes.firstIndex { $0 === node } ?? 0) + 1) % nodes.count]
      let next = try other.ask("GET", String(link.dropFirst().prefix { $0 != ">" }), key)
      #expect(next.body.hasPrefix("[{\"_id\":\(ids[10])}"), "\(next.body)")
      let counted = try node.ask("GET", "\(Self.orders)?aggregate=@count,_id.@max", key)
      #expect(counted.body == #"{"@count":\#(count),"_id.@max":\#(count - 1)}"#, "\(counted.body)")
    }
  }

  /// Expects that commands about whatever matches are done once in each shard, whoever is asked.
  private func expectCommands(at nodes: [ServedNode], _ key: String) throws {
    for (number, node) in nodes.enumerated() {
      let act = { (action: String, members: String) in
        try node.ask(
          "POST", "/app/shop/endpoint/data/v1/action/\(action)", fields: ["apiKey": key],
          body: #"{"dataSource":"mongodb-atlas","database":"d","collection":"Order",\#(members)}"#)
      }
      let ids = (0..<12).map { 1_000 + number * 100 + $0 }
      let inserted = try act(
        "insertMany",
        #""documents":[\#(ids.map { "{\"_id\":\($0),\"text\":\"new\"}" }.joined(separator: ","))]"#)
      #expect(inserted.status == "201 Created", "\(inserted.status) \(inserted.body)")
      let updated = try act("updateMany", #""filter":{"text":"new"},"update":{"$set":{"text":"newer"}}"#)
      #expect(updated.body == #"{"matchedCount":12,"modifiedCount":12}"#, "\(updated.status) \(updated.body)")
      let deleted = try act("deleteMany", #""filter":{"text":"newer"}"#)
      #expect(deleted.body == #"{"deletedCount":12}"#, "\(deleted.status) \(deleted.body)")
    }
  }

  @Test func `shards are led by different nodes, and their objects are found at each`() throws {
    let servers = try LogServers()
    let nodes = try servers.startNodes(operatorKey: Self.operatorKey)
    let made = try nodes[0].ask("POST", "/v1/apps", Self.operatorKey, #"{"name":"shop"}"#)
    let key = try #require(try made.json["key"]?.string, "\(made.body)")
    let declared = try nodes[1].ask(
      "PUT", "/v1/apps/shop/groups/archive", Self.operatorKey,
      #"{"classes":["Order"],"shards":3}"#)
    try #require(declared.status == "200 OK", "\(declared.status) \(declared.body)")
    let type = String(ClusterServeTests.schema.replacing("Item", with: "Order").dropFirst().dropLast())
    let applied = try nodes[2].ask("PUT", "/v1/apps/shop/schema/Order", key, type)
    #expect(applied.status.hasPrefix("20"), "\(applied.body)")
    for node in nodes {
      _ = try node.ask("GET", Self.orders, key) { $0.status == "200 OK" }
    }
    for shard in nodes.indices { try nodes[shard].take("shop/archive/\(shard)", as: Self.operatorKey) }
    try create(0..<30, at: nodes, key)
    try expect(30, at: nodes, key)
    try expectCommands(at: nodes, key)
    try expect(30, at: nodes, key)

    // The node that leads a shard is gone: another one leads it.
    nodes[1].kill()
    let others = [nodes[0], nodes[2]]
    try create(30..<60, at: others, key)
    try expect(60, at: others, key)
    try nodes[1].start()
    try create(60..<70, at: nodes, key)
    try expect(70, at: nodes, key)
    let places = nodes.map(\.address).joined(separator: ",")
    let same = try Gatehouse.run(
      ["cluster", "verify", "--app", "shop/archive/1", places], environment: ["GATEHOUSE_ADMIN_KEY=\(key)"],
      in: nodes[0].folder)
    #expect(same.status == 0 && same.lines.count == 3, "\(same)")

    // Who hears nothing of the logs shows no objects, and all of them afterwards.
    servers.kill(0)
    servers.kill(1)
    for node in nodes {
      let refused = try node.ask("GET", Self.orders, key) { $0.body.contains("out_of_date") }
      #expect(refused.status == "503 Service Unavailable", "\(refused.body)")
    }
    try servers.start(0)
    try servers.start(1)
    try create(70..<80, at: nodes, key)
    try expect(80, at: nodes, key)
    for node in nodes { #expect(node.stop() == 0) }
  }
}
