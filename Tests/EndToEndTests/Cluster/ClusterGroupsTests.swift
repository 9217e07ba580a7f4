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
      exports = async (id, isAborted) => {
        const client = context.services.get("mongodb-atlas"), session = client.startSession();
        const orders = client.db("d").collection("Order"), text = async (...options) =>
          ((await orders.findOne({_id: id}, {}, ...options)) || {text: "none"}).text;
        session.startTransaction();
        const first = await text({session});
        await orders.insertOne({_id: id, text: "t"}, {session});
        await orders.updateOne({_id: id}, {$set: {text: "u"}}, {session});
        const texts = [first, await text({session}), await text()];
        await (isAborted ? session.abortTransaction() : session.commitTransaction());
        return [...texts, await text()];
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

  /// Makes the app with its group, and returns the key of its administrator.
  private func makeShop() throws -> String {
    let made = try nodes[0].ask("POST", "/v1/apps", Self.operatorKey, #"{"name":"shop"}"#)
    let key = try #require(try made.json["key"]?.string, "\(made.body)")
    let declared = try nodes[1].ask(
      "PUT", "/v1/apps/shop/groups/archive", Self.operatorKey, #"{"classes":["Order"]}"#)
    try #require(declared.status == "200 OK", "\(declared.status) \(declared.body)")
    for name in ["Item", "Order"] {
      let type = String(ClusterServeTests.schema.replacing("Item", with: name).dropFirst().dropLast())
      let applied = try nodes[2].ask("PUT", "/v1/apps/shop/schema/\(name)", key, type)
      #expect(applied.status.hasPrefix("20"), "\(applied.body)")
    }
    for node in nodes {
      _ = try node.ask("GET", "/v1/apps/shop/groups/archive/collections", key) {
        $0.body.contains(#""class":"Order""#)
      }
      // The schema of all groups changes none of them where it is what is there.
      let schema = try node.ask("GET", "/v1/apps/shop/schema", key) { $0.body.contains(#""name":"Item""#) }
      let same = try node.ask("PUT", "/v1/apps/shop/schema?destructive=true", key, schema.body)
      #expect(same.status == "200 OK", "\(same.status) \(same.body)")
      for (path, text) in Self.files { try AppFiles.write(text, to: "apps/shop/\(path)", node.folder) }
    }
    return key
  }

  @Test
  func `functions write to groups that other nodes lead, and triggers are called by the group's leader`()
    throws
  {
    let key = try makeShop()
    try nodes[0].take("shop", as: Self.operatorKey)
    try nodes[1].take("shop/archive", as: Self.operatorKey)
    for node in nodes {
      _ = try node.ask("GET", "/v1/apps/shop/functions", key) { $0.body.contains("\"both\"") }
    }
    _ = try nodes[2].ask("GET", "/v1/apps/shop/groups/archive/triggers", key) {
      $0.body.contains(#""position":"#)
    }
    for (id, node) in nodes.enumerated() {
      let answer = try node.ask("POST", "/v1/apps/shop/functions/both", key, "[\(id)]")
      #expect(answer.body == #"["i","p"]"#, "\(answer.status) \(answer.body)")
    }
    // It is called once for each, and writes to what the other node leads.
    for id in 0..<3 {
      _ = try nodes[2].ask("GET", "/v1/apps/shop/collections/Item/\(1000 + id)", key) {
        $0.status == "200 OK"
      }
    }
    let state = try nodes[2].ask("GET", "/v1/apps/shop/groups/archive/triggers", key) {
      $0.body.contains(#""calls":3"#)
    }
    #expect(state.body.contains(#""calls":3,"failures":0"#), "\(state.body)")
    // A function has the rights of its caller there, too.
    let made = try nodes[0].ask("POST", "/v1/apps/shop/keys", key, #"{"role":"read","classes":["Order"]}"#)
    let reader = try #require(try made.json["key"]?.string, "\(made.body)")
    let refused = try nodes[0].ask("POST", "/v1/apps/shop/functions/both", reader, "[7]")
    #expect(refused.status.hasPrefix("4") || refused.body.contains("function_failed"), "\(refused.body)")
    // Nobody is another one for who says so. What another node seems to have sent does not wait for the key.
    let posing = try nodes[1].ask(
      "POST", "/v1/apps/shop/collections/Order",
      fields: [
        "Authorization": "Bearer \(reader)", "Via": "1.1 gatehouse-cluster",
        "Gatehouse-Function-Caller":
          "eyJwcmluY2lwYWwiOnsia2luZCI6ImtleSIsImlkIjoic3lzdGVtIn0sImNhbGxlciI6eyJraW5kIjoia2V5IiwiaWQiOiJzeXN0ZW0ifX0=",
      ], body: #"{"_id":8,"text":"x"}"#
    ) { !$0.isMomentary && !$0.status.hasPrefix("401") }
    #expect(posing.status == "403 Forbidden", "\(posing.status) \(posing.body)")
    // A transaction is performed by the node that leads the group, whichever that is.
    for (id, leader) in [(8, nodes[1]), (9, nodes[0])] {
      try leader.take("shop/archive", as: Self.operatorKey)
      let aborted = try nodes[2].ask("POST", "/v1/apps/shop/functions/many", key, "[\(id),true]")
      #expect(aborted.body == #"["none","u","none","none"]"#, "\(aborted.status) \(aborted.body)")
      let whole = try nodes[2].ask("POST", "/v1/apps/shop/functions/many", key, "[\(id)]")
      #expect(whole.body == #"["none","u","none","u"]"#, "\(whole.status) \(whole.body)")
      // Nothing of one that fails is there.
      let doubled = try nodes[2].ask("POST", "/v1/apps/shop/functions/many", key, "[\(id)]")
      #expect(doubled.body.contains("function_failed"), "\(doubled.status) \(doubled.body)")
    }
    // The node that leads the group next calls the trigger.
    try nodes[1].take("shop/archive", as: Self.operatorKey)
    nodes[1].kill()
    let others = [nodes[0], nodes[2]]
    for id in 10..<14 {
      let order = try others[id % 2].ask(
        "POST", "/v1/apps/shop/collections/Order", key, #"{"_id":\#(id),"text":"o"}"#)
      #expect(
        order.status == "201 Created" || order.status == "409 Conflict", "\(order.status) \(order.body)")
    }
    for id in [8, 9] + Array(10..<14) {
      _ = try nodes[2].ask("GET", "/v1/apps/shop/collections/Item/\(1000 + id)", key) {
        $0.status == "200 OK"
      }
    }
    for node in others { #expect(node.stop() == 0) }
  }

  @Test func `a credential in fields of a request is good for a group that another node leads`() throws {
    let key = try makeShop()
    for (path, text) in [
      ("providers", #"{"local-userpass":{"config":{"autoConfirm":true}},"api-key":{}}"#),
      ("roles", #"{"user":{"classes":{"Order":{"read":true,"write":true}}}}"#),
    ] {
      for node in nodes { try AppFiles.write(text, to: "apps/shop/auth/\(path).json", node.folder) }
    }
    let base = "/api/client/v2.0/app/shop/auth/providers/local-userpass"
    // The files are taken within a second or two.
    _ = try nodes[2].ask(
      "POST", "\(base)/register", body: #"{"email":"ann@example.com","password":"secret1"}"#
    ) { $0.status == "201 Created" }
    let login = try nodes[2].ask(
      "POST", "\(base)/login", body: #"{"username":"ann@example.com","password":"secret1"}"#)
    let token = try #require(try login.json["refresh_token"]?.string, "\(login.body)")
    let made = try nodes[2].ask(
      "POST", "/api/client/v2.0/auth/api_keys", fields: ["Authorization": "Bearer \(token)"],
      body: #"{"name":"k"}"#
    ) { $0.status == "201 Created" }
    let userKey = try #require(try made.json["key"]?.string, "\(made.body)")
    let act = { (node: ServedNode, action: String, fields: [String: String], members: String) in
      try node.ask(
        "POST", "/app/shop/endpoint/data/v1/action/\(action)", fields: fields,
        body: #"{"dataSource":"mongodb-atlas","database":"d","collection":"Order",\#(members)}"#)
    }
    var id = 100
    for (leader, groupLeader) in [(0, 1), (2, 0)] {
      try nodes[leader].take("shop", as: Self.operatorKey)
      try nodes[groupLeader].take("shop/archive", as: Self.operatorKey)
      for node in nodes {
        for fields in [
          ["email": "ann@example.com", "password": "secret1"], ["api-key": userKey], ["apiKey": key],
        ] {
          id += 1
          let inserted = try act(node, "insertOne", fields, #""document":{"_id":\#(id),"text":"o"}"#)
          #expect(inserted.status == "201 Created", "\(inserted.status) \(inserted.body)")
          let found = try act(node, "findOne", fields, #""filter":{"_id":\#(id)}"#)
          #expect(found.body == #"{"document":{"_id":\#(id),"text":"o"}}"#, "\(found.status) \(found.body)")
        }
        // A key is good at all nodes as soon as it is there, and what one has acknowledged is there for all.
        let fresh = try node.ask("POST", "/v1/apps/shop/keys", key, #"{"role":"admin"}"#)
        let freshKey = try #require(try fresh.json["key"]?.string, "\(fresh.body)")
        for other in nodes.reversed() {
          id += 1
          // A transaction says in its content which classes it is about.
          let written = try other.ask(
            "POST", "/v1/apps/shop/transactions", freshKey,
            #"{"operations":[{"op":"create","class":"Order","value":{"_id":\#(id),"text":"o"}}]}"#)
          #expect(written.status == "200 OK", "\(written.status) \(written.body)")
          id += 1
          let created = try other.ask(
            "POST", "/v1/apps/shop/collections/Order", freshKey, #"{"_id":\#(id),"text":"o"}"#)
          #expect(created.status == "201 Created", "\(created.status) \(created.body)")
          let read = try other.ask("GET", "/v1/apps/shop/collections/Order?limit=1", freshKey)
          #expect(read.status == "200 OK", "\(read.status) \(read.body)")
        }
        let kept = try node.ask("DELETE", "/v1/apps/shop/groups/archive", Self.operatorKey)
        #expect(kept.body.contains("group_not_empty"), "\(kept.status) \(kept.body)")
        let wrong = try act(
          node, "findOne", ["email": "ann@example.com", "password": "secret2"], #""filter":{}"#)
        #expect(
          wrong.status == "401 Unauthorized" && wrong.body.contains("InvalidPassword"),
          "\(wrong.status) \(wrong.body)")
      }
    }
    for node in nodes { #expect(node.stop() == 0) }
  }
}
