import FoundationEssentials
import GatehouseTestSupport
import Testing

/// An app that App Services has exported, taken into a data directory and served.
@Suite struct MovedAppTests {
  private static let app = [
    "realm_config.json": #"{"config_version":20210101,"app_id":"shop-abcde","name":"shop"}"#,
    "auth/providers.json": """
    {"local-userpass":{"name":"local-userpass","type":"local-userpass","disabled":false,"config":{"autoConfirm":true}},
     "custom-token":{"name":"custom-token","type":"custom-token","config":{"audience":"","signingAlgorithm":"HS256"},
       "secret_config":{"signingKeys":["k"]},"disabled":false}}
    """,
    "auth/custom_user_data.json": """
    {"enabled":true,"mongo_service_name":"mongodb-atlas","database_name":"shop","collection_name":"people","user_id_field":"user"}
    """,
    "data_sources/mongodb-atlas/config.json": #"{"name":"mongodb-atlas","type":"mongodb-atlas"}"#,
    "data_sources/mongodb-atlas/shop/carts/rules.json": """
    {"database":"shop","collection":"carts","roles":[
      {"name":"owner","apply_when":{},"document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id"}},
       "read":true,"write":true,"insert":true,"delete":true,"search":true,"fields":{"note":{"read":false}}}]}
    """,
    "data_sources/mongodb-atlas/shop/carts/indexes.json": """
    [{"v":2,"key":{"_id":1},"name":"_id_"},{"v":2,"key":{"owner":1},"name":"owner_1"},{"v":2,"key":{"items.of":-1},"name":"i"},
     {"v":2,"key":{"owner":1,"n":1},"name":"two"}]
    """,
    "data_sources/mongodb-atlas/shop/orders/schema.json": """
    {"title":"Order","bsonType":"object","required":["_id","owner"],"properties":{"_id":{"bsonType":"int"},
     "owner":{"bsonType":"string"},"text":{"bsonType":"string"},"buyer":{"bsonType":"objectId"},"secret":{"bsonType":"string"}}}
    """,
    "data_sources/mongodb-atlas/shop/orders/relationships.json": """
    {"buyer":{"ref":"#/relationship/mongodb-atlas/shop/people","foreign_key":"_id","is_list":false}}
    """,
    "data_sources/mongodb-atlas/shop/orders/rules.json": """
    {"database":"shop","collection":"orders","roles":[
      {"name":"owner","apply_when":{},"document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id"}},
       "read":true,"write":true,"insert":true,"delete":true,"search":true,"fields":{"secret":{"read":false}}}]}
    """,
    "data_sources/mongodb-atlas/shop/people/schema.json": """
    {"title":"people","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"objectId"},"user":{"bsonType":"string"},
     "name":{"bsonType":"string","pattern":"^[A-Z]"}}}
    """,
    "data_sources/mongodb-atlas/shop/people/rules.json": """
    {"database":"shop","collection":"people","roles":[
      {"name":"r","apply_when":{},"read":{"name":{"$regex":"^A"}},"write":false}]}
    """,
    "functions/config.json":
      #"[{"name":"hello","private":false},{"name":"sms","private":true,"run_as_user_id_script_source":"exports = () => 'ann';"}]"#,
    "functions/hello.js": "exports = () => `hello ${context.values.get('greeting')}`;",
    "functions/sms.js": #"exports = () => context.services.get("twilio").send({});"#,
    "values/greeting.json": #"{"name":"greeting","value":"world","from_secret":false}"#,
    "http_endpoints/config.json": """
    [{"route":"/hello","http_method":"GET","function_name":"hello","validation_method":"NO_VALIDATION","respond_result":true},
     {"route":"/bad","http_method":"TRACE","function_name":"hello"}]
    """,
    "triggers/onOrder.json": """
    {"name":"onOrder","type":"DATABASE","disabled":true,"config":{"operation_types":["INSERT"],"database":"shop","collection":"orders",
     "service_name":"mongodb-atlas","match":{},"project":{}},"event_processors":{"FUNCTION":{"config":{"function_name":"hello"}}}}
    """,
    "triggers/bridge.json": """
    {"name":"bridge","type":"DATABASE","config":{"collection":"orders"},"event_processors":{"AWS_EVENTBRIDGE":{}}}
    """,
    "sync/config.json": "{}", "hosting/files/index.html": "<p>",
  ]

  private static let report = """
    taken  realm_config.json: the app's name and id, which functions are told
    taken  data_sources/mongodb-atlas/config.json: data source “mongodb-atlas”, by which name clients and functions ask for the data
    taken  data_sources/mongodb-atlas/shop/carts/indexes.json: class carts, which is schemaless
    refused  data_sources/mongodb-atlas/shop/carts/indexes.json, line 2: an index is by one path, up or down
    taken  data_sources/mongodb-atlas/shop/carts/indexes.json: 2 indexes of carts
    changed  data_sources/mongodb-atlas/shop/orders/schema.json, line 1: “buyer” of orders stays a value of “people”, which nothing checks, as in MongoDB (--links: a link)
    changed  data_sources/mongodb-atlas/shop/orders/schema.json: the class is “orders” as the collection, which models called “Order”
    refused  data_sources/mongodb-atlas/shop/people/schema.json, line 2: “pattern” has no counterpart in a class
    taken  data_sources/mongodb-atlas/shop/people/schema.json: class people
    taken  data_sources/mongodb-atlas/shop/carts/rules.json: rights of users on carts
    taken  data_sources/mongodb-atlas/shop/orders/rules.json: rights of users on orders
    refused  data_sources/mongodb-atlas/shop/people/rules.json, line 2: regular expressions cannot be said in RQL
    changed  data_sources/mongodb-atlas/shop/people/rules.json, line 1: users have no rights on people
    taken  auth/providers.json, line 1: provider local-userpass
    refused  auth/providers.json, line 2: provider custom-token: auth/providers.json: custom-token.config.audience names nobody: say for whom tokens must be, or "*" to take those for anybody
    taken  auth/custom_user_data.json: custom data of users: people.user
    taken  functions/config.json, line 1: function hello
    changed  functions/sms.js: it asks for the service “twilio”, which is not there
    taken  functions/config.json, line 1: function sms
    taken  functions/config.json: function sms-user
    taken  http_endpoints/config.json, line 1: endpoint /hello
    refused  http_endpoints/config.json, line 2: Methods are GET, POST, PUT, PATCH, DELETE and *.
    refused  triggers/bridge.json, line 1: There is no member “AWS_EVENTBRIDGE”.
    taken  triggers/onOrder.json: trigger onOrder
    taken  values/greeting.json: a value
    refused  hosting/files/index.html: files are served by another server, such as nginx
    refused  sync/config.json: Device Sync is not served
    15 taken, 4 to look at, 8 refused

    """

  private func export() throws -> Folder {
    let folder = try Folder()
    for (path, text) in Self.app {
      let file = "\(folder.path)/export/\(path)"
      let directory = file.split(separator: "/").dropLast().map { "/\($0)" }.joined()
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: false, encoding: .utf8)
    }
    return folder
  }

  @Test func `each part is told, and a dry run changes nothing`() throws {
    #expect(ImportReportText.contradictions(in: Self.report) == [])
    let folder = try export()
    let dry = try Gatehouse.run(
      ["app", "import", folder.file("export"), "--data", folder.data, "--dry-run"], in: folder)
    #expect(dry.status == 0 && dry.output == Self.report, "\(dry.output)\(dry.error)")
    #expect(!FileManager.default.fileExists(atPath: folder.data))
  }

  @Test func `a backup has every file that an import has written`() throws {
    let folder = try export()
    for command in [
      ["app", "import", folder.file("export"), "--data", folder.data],
      ["backup", folder.file("copy"), "--data", folder.data],
      ["restore", folder.file("copy"), folder.file("new")],
    ] {
      let outcome = try Gatehouse.run(command, in: folder)
      try #require(outcome.status == 0, "\(outcome.error)")
    }
    let list = "find . -mindepth 2 -type f | sort | xargs sha256sum"
    let written = try folder.shell("cd '\(folder.data)' && \(list)")
    #expect(written.contains("./http_endpoints/config.json") && written.contains("./triggers/onOrder.json"))
    #expect(try folder.shell("cd new && \(list)") == written)
  }

  @Test(.enabled(if: hasNode && Machine.program("unzip") != nil, "Node or unzip is not installed"))
  func `an app in a ZIP file is taken and served`() throws {
    let folder = try export()
    let zipped = Machine.run(
      "cd '\(folder.path)' && python3 -m zipfile -c app.zip export/ 2>&1")
    try #require(zipped.status == 0, "\(zipped.output)")
    let taken = try Gatehouse.run(
      ["app", "import", folder.file("app.zip"), "--data", folder.data], in: folder)
    try #require(taken.status == 0 && taken.output == Self.report, "\(taken.output)\(taken.error)")
    // Once more is nothing new, and a file that somebody has changed is not overwritten.
    let again = try Gatehouse.run(
      ["app", "import", folder.file("app.zip"), "--data", folder.data], in: folder)
    #expect(again.status == 0 && again.error.hasPrefix("0 files written"), "\(again.error)")
    let server = try RunningServer(folder, environment: ["GATEHOUSE_ADMIN_KEY=k3y-of-the-administrator"])
    let path = "/api/client/v2.0/app/shop-abcde/auth/providers/local-userpass"
    _ = try server.send("POST", "\(path)/register", body: #"{"email":"a@example.org","password":"secret1"}"#)
    let login = try server.send(
      "POST", "\(path)/login", body: #"{"username":"a@example.org","password":"secret1"}"#
    )
    .json
    let user = try #require(login["user_id"]?.string)
    let access = ["Authorization": "Bearer \(try #require(login["access_token"]?.string))"]
    let hello = "/app/shop-abcde/endpoint/hello"
    #expect(try server.send("GET", hello).status == "401 Unauthorized")
    #expect(try server.send("GET", hello, fields: access).body == #""hello world""#)
    for (id, owner) in [(1, user), (2, "somebody")] {
      let made = try server.send(
        "POST", "/v1/collections/orders", fields: access, body: #"{"_id":\#(id),"owner":"\#(owner)"}"#)
      #expect(made.status.hasPrefix(id == 1 ? "201" : "403"), "\(made.body)")
    }
    let seen = try server.send("GET", "/v1/collections/orders", fields: access)
    #expect(seen.body == #"[{"_id":1,"owner":"\#(user)","text":null,"buyer":null}]"#)
    let cart = #"{"_id":1,"items":[{"of":"a"}],"owner":"\#(user)"}"#
    #expect(
      try server.send("POST", "/v1/collections/carts", fields: access, body: cart).status.hasPrefix("201"))
    let noted = try server.send(
      "POST", "/v1/collections/carts", fields: access, body: #"{"_id":3,"note":"x","owner":"\#(user)"}"#)
    #expect(noted.status.hasPrefix("403"), "\(noted.body)")
    let foreign = try server.send(
      "POST", "/v1/collections/carts", fields: access, body: #"{"_id":2,"owner":"somebody"}"#)
    #expect(foreign.status.hasPrefix("403"), "\(foreign.body)")
    #expect(try server.send("GET", "/v1/collections/carts", fields: access).body == "[\(cart)]")
    #expect(try server.send("GET", "/v1/collections/people", fields: access).status.hasPrefix("403"))
    #expect(server.stop() == 0)
    try AppFiles.write("[]", to: "functions/config.json", folder)
    for options in [[], ["--dry-run"]] {
      let refused = try Gatehouse.run(
        ["app", "import", folder.file("app.zip"), "--data", folder.data] + options, in: folder)
      #expect(
        refused.status == 1 && refused.error.contains("functions/config.json: File exists"),
        "\(refused.error)")
    }
  }

  @Test func `users come with their identifiers, and set passwords`() throws {
    let folder = try export()
    _ = try Gatehouse.run(["app", "import", folder.file("export"), "--data", folder.data], in: folder)
    // Python's hashlib.scrypt(b"secret1", salt=b"0123456789abcdef", n=16384, r=8, p=1, dklen=32).
    let users = """
      [{"_id":"5f0000000000000000000001","identities":[{"id":"5f0000000000000000000011","provider_type":"local-userpass",
         "provider_id":"5f00","provider_data":{"email":"ann@example.org"}}],"type":"normal","creation_date":1600000000,
         "disabled":false,"data":{"email":"ann@example.org"},"custom_data":{"team":"red"},
         "password":{"scrypt":{"salt":"MDEyMzQ1Njc4OWFiY2RlZg==","n":16384,"r":8,"p":1,"hash":"qw7r1zfWELtNRAfqil/wvO45qiWAeSUPcK7yLONVsSk="}}},
       {"_id":{"$oid":"5f0000000000000000000002"},"identities":[{"id":"5f0000000000000000000012","provider_type":"local-userpass",
         "provider_data":{"email":"bob@example.org"}},{"id":"k","provider_type":"api-key"}],"disabled":true,"data":{}}]
      """
    let file = try folder.write(users, to: "users.json")
    let dry = try Gatehouse.run(["users", "import", file, "--data", folder.data, "--dry-run"], in: folder)
    #expect(dry.output.hasPrefix("2 users read, 0 added, 0 there already\n"), "\(dry.output)\(dry.error)")
    for count in [2, 0] {
      let made = try Gatehouse.run(["users", "import", file, "--data", folder.data], in: folder)
      #expect(
        made.output == """
          2 users read, \(count) added, \(2 - count) there already
          1 have no password until they set one; 1 had API keys, which have to be made anew

          """, "\(made.error)")
    }
    let server = try RunningServer(folder, environment: ["GATEHOUSE_ADMIN_KEY=k3y-of-the-administrator"])
    let path = "/api/client/v2.0/app/a/auth/providers/local-userpass"
    let login = { (name: String) in
      try server.send(
        "POST", "\(path)/login", body: #"{"username":"\#(name)@example.org","password":"secret1"}"#)
    }
    #expect(try login("ann").json["user_id"]?.string == "5f0000000000000000000001")
    #expect(try login("bob").body.contains("InvalidPassword"))
    let key = ["Authorization": "Bearer k3y-of-the-administrator"]
    let token = try server.send("PUT", "/v1/accounts/bob@example.org/reset", fields: key).json
    let reset =
      #"{"token":"\#(try #require(token["token"]?.string))","tokenId":"\#(try #require(token["tokenId"]?.string))","password":"secret1"}"#
    #expect(try server.send("POST", "\(path)/reset", body: reset).status == "200 OK")
    #expect(try login("bob").body.contains("UserDisabled"))
    #expect(server.stop() == 0)
    let bad = try folder.write(
      "[\n{\"_id\":\"5f0000000000000000000003\",\n\"identities\":5}]", to: "bad.json")
    let refused = try Gatehouse.run(["users", "import", bad, "--data", folder.data], in: folder)
    #expect(
      refused.status == 1 && refused.error.contains("bad.json, line 3: “0.identities”: Here an array"),
      "\(refused.error)")
  }

  @Test(
    .enabled(
      if: hasNode && Machine.program("curl") != nil && Machine.program("gzip") != nil,
      "Node, curl or gzip is not installed"))
  func `the lines of the page do what it says`() throws {
    let folder = try export()
    let person =
      #"{"_id":{"$oid":"5f0000000000000000000021"},"user":"5f0000000000000000000001","name":"Ann"}"#
    _ = try folder.write(person + "\n", to: "people.json")
    // {"_id": 1, "owner": "x", "buyer": ObjectId("5f…21")} as BSON (bsonspec.org).
    let bytes =
      "2e000000105f69640001000000026f776e65720002000000780007627579657200" + "5f0000000000000000000021" + "00"
    let made = Machine.run(
      "cd '\(folder.path)' && printf '%s' '\(bytes)' | xxd -r -p | gzip > orders.bson.gz"
        + " && printf '%s' '\(SampleArchive.hexadecimal)' | xxd -r -p | gzip > dump.archive.gz")
    try #require(made.status == 0)
    _ = try folder.write(
      #"[{"_id":"5f0000000000000000000001","identities":[{"id":"1","provider_type":"anon-user"}]}]"#,
      to: "users.json")
    let blocks = try PageBlock.blocks(of: "Sources/App/App.docc/Moving.md", in: "sh")
    let before = try PageBlockTests.run(blocks.filter(\.isBeforeServer), in: folder, port: 0)
    #expect(before.status == 0, "\(before.output)")
    let server = try RunningServer(folder)
    let after = try PageBlockTests.run(blocks.filter { !$0.isBeforeServer }, in: folder, port: server.port)
    #expect(after.status == 0, "\(after.output)")
    let orders = try server.send("GET", "/v1/collections/orders?fields=owner,buyer").body
    #expect(orders.contains(#""owner":"y""#) && orders.contains(#""owner":"z""#), "\(orders)")
    #expect(orders.contains(#"{"owner":"x","buyer":"5f0000000000000000000021"}"#), "\(orders)")
    #expect(server.stop() == 0)
  }

  /// MongoDB lets a document name one that is not there.
  @Test(arguments: [false, true])
  func `documents whose relationships lead nowhere are taken, or kept aside where these are links`(
    makesLinks: Bool
  ) throws {
    let folder = try export()
    let taken = try Gatehouse.run(
      ["app", "import", folder.file("export"), "--data", folder.data] + (makesLinks ? ["--links"] : []),
      in: folder)
    try #require(taken.status == 0, "\(taken.error)")
    #expect(
      taken.output.contains("“buyer” of orders \(makesLinks ? "is a link" : "stays a value of “people”")"))
    let orders = [
      #"{"_id":1,"owner":"x","buyer":{"$oid":"5f0000000000000000000021"}}"#,
      #"{"_id":2,"owner":"y","buyer":null}"#,
    ]
    let file = try folder.write(orders.joined(separator: "\n") + "\n", to: "orders.json")
    let command = ["import", "orders", file, "--data", folder.data]
    let first = try Gatehouse.run(command, in: folder)
    #expect((first.status == 0) == !makesLinks, "\(first.error)")
    if makesLinks {
      let rest = try Gatehouse.run(
        command + ["--on-error", "skip", "--rejects", folder.file("rejects")], in: folder)
      #expect(
        try folder.contents(folder.file("rejects")).contains("5f0000000000000000000021"), "\(rest.error)")
    }
    let stored = try Gatehouse.run(["export", "orders", "--data", folder.data], in: folder)
    #expect(stored.lines.count == (makesLinks ? 1 : 2))
    #expect(stored.output.contains("5f0000000000000000000021") == !makesLinks, "\(stored.output)")
  }

  @Test func `an app that is written again has the same classes and parts`() throws {
    let folder = try export()
    _ = try Gatehouse.run(
      ["app", "import", folder.file("export"), "--data", folder.data, "--links"], in: folder)
    try AppFiles.write("sesame", to: "auth/secrets/k", folder)
    let written = try Gatehouse.run(
      ["app", "export", folder.file("again"), "--name", "shop", "--data", folder.data], in: folder)
    #expect(
      written.status == 0 && !FileManager.default.fileExists(atPath: folder.file("again/auth/secrets")),
      "\(written.error)")
    for file in ["functions/hello.js", "values/greeting.json", "triggers/onOrder.json"] {
      #expect(try folder.contents(folder.file("again/\(file)")) == Self.app[file])
    }
    let other = try Folder()
    let taken = try Gatehouse.run(
      ["app", "import", folder.file("again"), "--data", other.data, "--links"], in: other)
    #expect(taken.status == 0 && !taken.output.contains("refused "), "\(taken.output)\(taken.error)")
    let classes = try [folder, other].map {
      try Gatehouse.run(["schema", "show", "--data", $0.data], in: $0).output
    }
    #expect(classes[0] == classes[1] && classes[0].contains("orders") && classes[0].contains("items.of"))
    for file in ["auth/roles.json", "auth/providers.json", "functions/config.json", "triggers/onOrder.json"] {
      let contents = try [folder, other].map { try JSON($0.contents("\($0.data)/\(file)")) }
      #expect(contents[0] == contents[1], "\(file)")
    }
    // An export of the second one is the same, file by file.
    try AppFiles.write("sesame", to: "auth/secrets/k", other)
    let third = try Gatehouse.run(
      ["app", "export", other.file("third"), "--name", "shop", "--data", other.data], in: other)
    try #require(third.status == 0, "\(third.error)")
    let difference = Machine.run("diff -r '\(folder.file("again"))' '\(other.file("third"))'")
    #expect(difference.status == 0, "\(difference.output)")
    let again = try Gatehouse.run(
      ["app", "export", folder.file("again"), "--data", folder.data], in: folder)
    #expect(again.status == 1 && again.error.contains("File exists"))
  }

  /// The layout before 2021.
  private static let older = [
    "stitch.json": #"{"config_version":20180301,"name":"old"}"#,
    "auth_providers/anon-user.json": #"{"id":"5f","name":"anon-user","type":"anon-user","disabled":false}"#,
    "services/mongodb-atlas/config.json": #"{"name":"mongodb-atlas","type":"mongodb-atlas"}"#,
    "services/mongodb-atlas/rules/shop.items.json": """
    {"database":"shop","collection":"items","id":"5f","roles":[{"name":"mine","apply_when":{"owner":"%%user.id"},"read":true,
      "write":true,"insert":true,"delete":true,"fields":{},"additional_fields":{}}],
     "schema":{"properties":{"_id":{"bsonType":"objectId"},"owner":{"bsonType":"string"}},"required":["owner"]}}
    """,
    "services/web/config.json": #"{"name":"web","type":"http"}"#,
    "services/web/incoming_webhooks/ping/config.json": """
    {"name":"ping","run_as_authed_user":false,"options":{"httpMethod":"GET","validationMethod":"SECRET_AS_QUERY_PARAM","secret":"s3"},
     "respond_result":true}
    """,
    "services/web/incoming_webhooks/ping/source.js":
      "exports = ({query}) => `pong ${query.n} ${context.functions.execute('twice', 4)}`;",
    "functions/twice/config.json": #"{"id":"5f","name":"twice","private":true}"#,
    "functions/twice/source.js": "exports = n => 2 * n;",
  ]

  @Test(.enabled(if: hasNode, "Node is not installed"))
  func `the older layout is read, and webhooks become endpoints`() throws {
    let folder = try Folder()
    for (path, text) in Self.older {
      let file = "\(folder.path)/export/\(path)"
      let directory = file.split(separator: "/").dropLast().map { "/\($0)" }.joined()
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: false, encoding: .utf8)
    }
    let taken = try Gatehouse.run(
      ["app", "import", folder.file("export"), "--data", folder.data], in: folder)
    #expect(
      taken.status == 0 && taken.output.hasSuffix("7 taken, 1 to look at, 0 refused\n"),
      "\(taken.output)\(taken.error)")
    #expect(ImportReportText.contradictions(in: taken.output) == [])
    let server = try RunningServer(folder)
    #expect(try server.send("GET", "/app/a/endpoint/web/ping?n=1&secret=s3").body == #""pong 1 8""#)
    #expect(try server.send("GET", "/app/a/endpoint/web/ping?n=1").status == "401 Unauthorized")
    let roles = try JSON(folder.contents("\(folder.data)/auth/roles.json"))
    #expect(roles["user"]?["classes"]?["items"]?["write"]?.string == "(owner == %%user.id)")
    #expect(server.stop() == 0)
  }
}
