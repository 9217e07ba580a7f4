import GatehouseTestSupport
import Glibc
import Testing

/// Functions and triggers of an app, of which one node leads the main database and another one a group of its classes.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .enabled(if: hasNode, "Node is not installed"), .timeLimit(.minutes(30)))
struct ClusterGroupsTests {
  private static let operatorKey = "an operator's key of a test"
  private static let files = [
    (
      "functions/config.json",
      #"[{"name":"both"},{"name":"copy","private":true},{"name":"many"}]"#
    ),
    // It reads what it has written, wherever that was.
    (
      "functions/both.js",
      """
      exports = async id => {
        const db = context.services.get("mongodb-atlas").db("d");
        await db.collection("Item").insertOne({_id: id, text: "i"});
        await db.collection("Order").insertOne({_id: id, text: "o"});
        await db.collection("Order").updateOne({_id: id}, {$set: {text: "p"}});
        return [(await db.collection("Item").findOne({_id: id})).text, (await db.collection("Order").findOne({_id: id})).text];
      };
      """
    ),
    (
      "functions/many.js",
      """
      exports = async id => {
        const client = context.services.get("mongodb-atlas"), session = client.startSession();
        session.startTransaction();
        await client.db("d").collection("Order").insertOne({_id: id, text: "t"}, {session});
        await session.commitTransaction();
      };
      """
    ),
    (
      "functions/copy.js",
      """
      exports = event => context.services.get("mongodb-atlas").db("d").collection("Item")
        .insertOne({_id: 1000 + event.documentKey._id, text: "copy"});
      """
    ),
    (
      "triggers/t.json",
      """
      {"name":"t","type":"DATABASE","config":{"collection":"Order","operation_types":["INSERT"]},
       "event_processors":{"FUNCTION":{"config":{"function_name":"copy"}}}}
      """
    ),
  ]

  private let servers: LogServers
  private let nodes: [ServedNode]

  init() throws {
    let servers = try LogServers()
    self.servers = servers
    nodes = try servers.startNodes(operatorKey: ClusterGroupsTests.operatorKey)
  }

  private func ask(
    _ node: ServedNode, _ method: String, _ path: String, _ key: String, _ body: String? = nil,
    until isWanted: (RunningServer.Answer) -> Bool = { !$0.isMomentary && !$0.body.contains("app_not_found") }
  ) throws -> RunningServer.Answer {
    try node.ask(method, path, fields: ["Authorization": "Bearer \(key)"], body: body, until: isWanted)
  }

  private func move(_ app: String, to node: ServedNode) throws {
    let moved = try Gatehouse.run(
      ["cluster", "move", app, node.address], environment: ["GATEHOUSE_ADMIN_KEY=\(Self.operatorKey)"],
      in: node.folder)
    #expect(moved.status == 0, "\(moved)")
  }

  /// Makes the app with its group, and returns the key of its administrator.
  private func makeShop() throws -> String {
    let made = try ask(nodes[0], "POST", "/v1/apps", Self.operatorKey, #"{"name":"shop"}"#)
    let key = try #require(try made.json["key"]?.string, "\(made.body)")
    let declared = try ask(
      nodes[1], "PUT", "/v1/apps/shop/groups/archive", Self.operatorKey, #"{"classes":["Order"]}"#)
    try #require(declared.status == "200 OK", "\(declared.status) \(declared.body)")
    for name in ["Item", "Order"] {
      let type = String(ClusterServeTests.schema.replacing("Item", with: name).dropFirst().dropLast())
      let applied = try ask(nodes[2], "PUT", "/v1/apps/shop/schema/\(name)", key, type)
      #expect(applied.status.hasPrefix("20"), "\(applied.body)")
    }
    for node in nodes {
      _ = try ask(node, "GET", "/v1/apps/shop/groups/archive/collections", key) {
        $0.body.contains(#""class":"Order""#)
      }
      for (path, text) in Self.files { try AppFiles.write(text, to: "apps/shop/\(path)", node.folder) }
    }
    return key
  }

  @Test
  func `functions write to groups that other nodes lead, and triggers are called by the group's leader`()
    throws
  {
    let key = try makeShop()
    try move("shop", to: nodes[0])
    try move("shop/archive", to: nodes[1])
    for node in nodes {
      _ = try ask(node, "GET", "/v1/apps/shop/functions", key) { $0.body.contains("\"both\"") }
    }
    _ = try ask(nodes[2], "GET", "/v1/apps/shop/groups/archive/triggers", key) {
      $0.body.contains(#""position":"#)
    }
    for (id, node) in nodes.enumerated() {
      let answer = try ask(node, "POST", "/v1/apps/shop/functions/both", key, "[\(id)]")
      #expect(answer.body == #"["i","p"]"#, "\(answer.status) \(answer.body)")
    }
    // It is called once for each, and writes to what the other node leads.
    for id in 0..<3 {
      _ = try ask(nodes[2], "GET", "/v1/apps/shop/collections/Item/\(1000 + id)", key) {
        $0.status == "200 OK"
      }
    }
    let state = try ask(nodes[2], "GET", "/v1/apps/shop/groups/archive/triggers", key)
    #expect(state.body.contains(#""calls":3,"failures":0"#), "\(state.body)")
    // A function has the rights of its caller there, too.
    let made = try ask(nodes[0], "POST", "/v1/apps/shop/keys", key, #"{"role":"read","classes":["Order"]}"#)
    let reader = try #require(try made.json["key"]?.string, "\(made.body)")
    let refused = try ask(nodes[0], "POST", "/v1/apps/shop/functions/both", reader, "[7]")
    #expect(refused.status.hasPrefix("4") || refused.body.contains("function_failed"), "\(refused.body)")
    // Nobody is another one for who says so.
    let posing = try nodes[1].send(
      "POST", "/v1/apps/shop/collections/Order",
      fields: [
        "Authorization": "Bearer \(reader)", "Via": "1.1 gatehouse-cluster",
        "Gatehouse-Function-Caller":
          "eyJwcmluY2lwYWwiOnsia2luZCI6ImtleSIsImlkIjoic3lzdGVtIn0sImNhbGxlciI6eyJraW5kIjoia2V5IiwiaWQiOiJzeXN0ZW0ifX0=",
      ], body: #"{"_id":8,"text":"x"}"#)
    #expect(posing.status == "403 Forbidden", "\(posing.status) \(posing.body)")
    // A transaction has one node.
    let many = try ask(nodes[0], "POST", "/v1/apps/shop/functions/many", key, "[9]") { !$0.body.isEmpty }
    #expect(!many.status.hasPrefix("2"), "\(many.status) \(many.body)")
    try move("shop/archive", to: nodes[0])
    let whole = try ask(nodes[1], "POST", "/v1/apps/shop/functions/many", key, "[9]") {
      $0.status.hasPrefix("2")
    }
    #expect(whole.status == "200 OK", "\(whole.body)")
    // The node that leads the group next calls the trigger.
    try move("shop/archive", to: nodes[1])
    nodes[1].kill()
    let others = [nodes[0], nodes[2]]
    for id in 10..<14 {
      let order = try ask(
        others[id % 2], "POST", "/v1/apps/shop/collections/Order", key, #"{"_id":\#(id),"text":"o"}"#)
      #expect(
        order.status == "201 Created" || order.status == "409 Conflict", "\(order.status) \(order.body)")
    }
    for id in [9] + Array(10..<14) {
      _ = try ask(nodes[2], "GET", "/v1/apps/shop/collections/Item/\(1000 + id)", key) {
        $0.status == "200 OK"
      }
    }
    for node in others { #expect(node.stop() == 0) }
  }
}
