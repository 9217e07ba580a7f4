import FoundationEssentials
import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseTestSupport
import GatehouseTriggers
import Testing

@testable import GatehouseApp

/// Exports of apps as a whole: nobody gets more rights than the rules gave.
@Suite struct AppImportTests {
  private static let all = #""read":true,"write":true,"insert":true,"delete":true,"search":true"#
  static let open = #"{"roles":[{"name":"all","apply_when":{},\#(all)}]}"#
  static let source = "data_sources/mongodb-atlas"

  /// Takes the files of an export, and returns what became of them. The report contradicts neither itself nor the files.
  static func result(of files: [String: String], makesLinks: Bool = false) async throws -> AppImport {
    var result: AppImport?
    try await Shell.with { shell in
      for (path, content) in files {
        let folder = "\(shell.folder)/\(path)".split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(atPath: "/\(folder)", withIntermediateDirectories: true)
        try shell.write(content, to: path)
      }
      result = try AppImport(try AppFolder(shell.folder), makesLinks: makesLinks)
    }
    let app = try #require(result)
    #expect(ImportReportText.contradictions(in: app.result.report.text) == [], "\(app.result.report.text)")
    try expectFiles(of: app)
    return app
  }

  /// Expects that the files have what is told to be taken, and nothing else of it.
  private static func expectFiles(of app: AppImport) throws {
    func names(in file: String) throws -> Set<String> {
      guard let bytes = app.result.files[file],
        case .array(let values) = try Value(json: String(decoding: bytes, as: UTF8.self))
      else { return [] }
      return Set(
        values.compactMap { value in
          guard case .document(let members) = value, case .string(let name)? = members["name"],
            members["embedded"] != .bool(true)
          else { return nil }
          return name
        })
    }
    func told(_ pattern: Regex<(Substring, Substring)>) -> Set<String> {
      Set(
        app.result.report.items.filter { $0.outcome != .refused }
          .compactMap { $0.text.firstMatch(of: pattern).map { String($0.1) } })
    }
    #expect(
      try told(/^(?:class |the class is “)([^ ,”]+)/) == names(in: "schema.json"),
      "\(app.result.report.text)")
    #expect(try told(/^function (\S+)$/).isSubset(of: names(in: "functions/config.json")))
    #expect(
      try names(in: "functions/config.json").subtracting(told(/^function (\S+)$/)).isEmpty,
      "\(app.result.report.text)")
    let triggers = app.result.files.keys.filter {
      $0.hasPrefix("triggers/") && !$0.contains("on_user_creation")
    }
    #expect(told(/^trigger (.+)$/).count == triggers.count)
  }

  static func roles(_ app: AppImport) throws -> String {
    let bytes = try #require(app.result.files["auth/roles.json"])
    let notation = try Value(json: String(decoding: bytes, as: UTF8.self))
    let schema = try Schema(
      notation: try Value(
        json: String(decoding: try #require(app.result.files["schema.json"]), as: UTF8.self)))
    try Policy(notation: notation).validate(in: schema)
    return String(decoding: notation.plainJSON, as: UTF8.self)
  }

  static func refusals(_ app: AppImport) -> [String] {
    app.result.report.items.filter { $0.outcome == .refused }.map { "\($0.place): \($0.text)" }
  }

  @Test func `the default rule does not reach collections with rules of their own`() async throws {
    let app = try await Self.result(of: [
      "\(Self.source)/default_rule.json": Self.open,
      "\(Self.source)/d/c/rules.json": #"{"roles":[]}"#,
      "\(Self.source)/d/free/schema.json": "{}",
      "\(Self.source)/d/v/rules.json":
        #"{"roles":[{"name":"vip","apply_when":{"%%user.custom_data.vip":true},\#(Self.all)}]}"#,
      "\(Self.source)/d/x/rules.json":
        #"{"roles":[{"name":"f","apply_when":{"a":{"%function":{"name":"f"}}},\#(Self.all)}]}"#,
      "data_sources/other/d/o/schema.json": "{}",
    ])
    #expect(
      try Self.roles(app) == """
        {"user":{"classes":{"*":{"read":true,"write":true},"c":{"read":false,"write":false},"v":{"read":false,"write":false},\
        "x":{"read":false,"write":false},"o":{"read":false,"write":false}}},"vip":{"classes":{"v":{"read":true,"write":true}}}}
        """)
    let lines = app.result.report.text.split(separator: "\n")
    #expect(lines.contains("changed  \(Self.source)/d/c/rules.json, line 1: users have no rights on c"))
  }

  @Test func `two default rules are none`() async throws {
    let app = try await Self.result(of: [
      "data_sources/a/default_rule.json": Self.open, "data_sources/b/default_rule.json": Self.open,
      "data_sources/a/d/c/schema.json": "{}",
    ])
    #expect(app.result.files["auth/roles.json"] == nil)
    #expect(app.result.report.count(.refused) == 2)
  }

  @Test func `a collection that is refused gives no rights`() async throws {
    let app = try await Self.result(of: [
      "\(Self.source)/d/c/rules.json": #"{"roles":[]}"#, "\(Self.source)/e/c/rules.json": Self.open,
    ])
    #expect(try Self.roles(app) == #"{"user":{"classes":{"c":{"read":false,"write":false}}}}"#)
    let both = try await Self.result(of: [
      "\(Self.source)/d/c/rules.json": Self.open, "\(Self.source)/e/c/rules.json": Self.open,
    ])
    #expect(try Self.roles(both) == #"{"user":{"classes":{"c":{"read":true,"write":true}}}}"#)
    #expect(
      Self.refusals(both).first
        == "\(Self.source)/e/c/rules.json, line 1: \(Self.source)/d/c/rules.json has a class “c” too, as of another database: give one of them another name"
    )
  }

  @Test func `roles of one name are given apart`() async throws {
    func rules(_ condition: String, twice: Bool = false) -> String {
      let role = #"{"name":"vip","apply_when":{"%%user.custom_data.\#(condition)":true},"read":true}"#
      return #"{"roles":[\#(role)\#(twice ? ",\(role)" : "")]}"#
    }
    let app = try await Self.result(of: [
      "\(Self.source)/d/a/rules.json": rules("vip"),
      "\(Self.source)/d/b/rules.json": rules("vip", twice: true),
      "\(Self.source)/d/c/rules.json": rules("other"),
    ])
    #expect(
      try Self.roles(app) == """
        {"user":{"classes":{"a":{"read":false,"write":false},"b":{"read":false,"write":false},"c":{"read":false,"write":false}}},\
        "vip":{"classes":{"a":{"read":true,"write":false},"b":{"read":true,"write":false}}},\
        "c-vip":{"classes":{"c":{"read":true,"write":false}}}}
        """)
    #expect(Self.refusals(app).first == "\(Self.source)/d/b/rules.json, line 1: there is another role “vip”")
  }

  @Test func `the server can read what is taken`() async throws {
    let endpoint = #"{"route":"/a","http_method":"GET","function_name":"a"}"#
    func trigger(_ function: String, of collection: String) -> String {
      #"{"name":"t","type":"DATABASE","function_name":"\#(function)","config":{"collection":"\#(collection)","operation_types":["INSERT"]}}"#
    }
    let app = try await Self.result(of: [
      "functions/config.json": #"[{"name":"a"},{"name":"b","pirvate":true},{"name":"../c"}]"#,
      "functions/a.js": "", "functions/b.js": "",
      "http_endpoints/config.json":
        #"[\#(endpoint),\#(endpoint),{"route":"/b","http_method":"GET","function_name":"b"}]"#,
      "triggers/1.json": trigger("gone", of: "nothing"), "triggers/2.json": trigger("a", of: "nothing"),
      "values/v.json": #"{"name":"v","vlaue":1}"#,
    ])
    let config = String(decoding: try #require(app.result.files["functions/config.json"]), as: UTF8.self)
    #expect(config == "[{\"name\":\"a\"}]\n")
    let endpoints = String(
      decoding: try #require(app.result.files["http_endpoints/config.json"]), as: UTF8.self)
    #expect(endpoints.split(separator: "route").count == 3)
    #expect(app.result.files["triggers/1.json"] != nil && app.result.files["triggers/2.json"] == nil)
    #expect(app.result.files["values/v.json"] == nil)
    #expect(
      app.result.report.text.split(separator: "\n").filter { !$0.hasPrefix("taken") } == [
        "refused  functions/config.json, line 1: There is no member “pirvate”.",
        "refused  functions/config.json, line 1: “name” is missing, or none of a function.",
        "refused  http_endpoints/config.json, line 1: Another endpoint has that route and method.",
        "changed  http_endpoints/config.json, line 1: it calls the function “b”, which is not there",
        "changed  triggers/1.json, line 1: it calls the function “gone”, which is not there",
        "changed  triggers/1.json: it watches the class “nothing”, which is not there",
        "refused  triggers/2.json, line 1: Another file has a trigger of that name.",
        "refused  values/v.json, line 1: “vlaue” is not known", "4 taken, 3 to look at, 5 refused",
      ])
  }

  @Test func `one bad part leaves the others`() async throws {
    let link =
      #"{"title":"T","properties":{"_id":{"bsonType":"int"},"owner":{"bsonType":"objectId"}},"required":["_id"]}"#
    let app = try await Self.result(
      of: [
        "\(Self.source)/d/fs.files/rules.json": Self.open, "\(Self.source)/d/good/rules.json": Self.open,
        "\(Self.source)/d/t/schema.json": link,
        "\(Self.source)/d/t/relationships.json":
          ##"{"owner":{"ref":"#/relationship/mongodb-atlas/d/people","foreign_key":"_id","is_list":false}}"##,
        "\(Self.source)/d/q/rules.json":
          #"{"roles":[{"name":"a","apply_when":{"any":1},"read":true}]}"#,
        "\(Self.source)/default_rule.json": #"{"roles":[{"name":"a","apply_when":{"a":1},"read":true}]}"#,
      ], makesLinks: true)
    #expect(
      try Self.roles(app) == """
        {"user":{"classes":{"t":{"read":false,"write":false},"good":{"read":true,"write":true},"q":{"read":false,"write":false}}}}
        """)
    let schema = String(decoding: try #require(app.result.files["schema.json"]), as: UTF8.self)
    #expect(schema.contains(#""owner":"objectId?""#) && !schema.contains("fs.files"))
    let refused = Self.refusals(app).map { $0.prefix { $0 != ":" } }
    #expect(
      refused == [
        "\(Self.source)/d/fs.files/rules.json, line 1", "\(Self.source)/d/t/schema.json, line 1",
        "\(Self.source)/default_rule.json, line 1", "\(Self.source)/d/q/rules.json, line 1",
      ], "\(app.result.report.text)")
  }

  @Test func `a function for new users is called by a trigger`() async throws {
    let app = try await Self.result(of: [
      "auth/custom_user_data.json":
        #"{"enabled":true,"mongo_service_name":"mongodb-atlas","database_name":"d","collection_name":"c","user_id_field":"u","on_user_creation_function_name":"f"}"#,
      "http_endpoints/data_api_config.json": #"{"disabled":false,"versions":["v1"],"return_type":"JSON"}"#,
      "functions/f.js": "exports = user => user.id;",
    ])
    let trigger = String(
      decoding: try #require(app.result.files["triggers/on_user_creation_function_name.json"]), as: UTF8.self)
    guard case .document(let notation) = try Value(json: trigger) else { return }
    let read = try Trigger(notation: notation)
    #expect(read.action == .function("f-new-user") && read.cause == .authentication(WatchedLogins(.create)))
    let caller = String(decoding: try #require(app.result.files["functions/f-new-user.js"]), as: UTF8.self)
    #expect(caller == "exports = event => context.functions.execute(\"f\", event.user);\n")
    #expect(
      String(decoding: try #require(app.result.files["functions/config.json"]), as: UTF8.self)
        == "[{\"name\":\"f-new-user\",\"private\":true,\"run_as_system\":true}]\n")
    let data = String(decoding: try #require(app.result.files["auth/custom_user_data.json"]), as: UTF8.self)
    #expect(try CustomDataSource.source(notation: Value(json: data)) == CustomDataSource("c", property: "u"))
    #expect(Self.refusals(app) == [])
  }

  @Test(arguments: [
    (#""disabled":false,"run_as_system":true"#, false, ["changed", "taken"]),
    (#""disabled":true,"can_evaluate":{"%%user.id":"x"}"#, true, ["taken"]),
    (#""can_evaluate":{"%%user.id":"x"}"#, true, ["refused"]),
    (#""validation_method":"SECRET_AS_QUERY_PARAM","secret_name":"x""#, true, ["refused"]),
    (#""disabled":false,"disable":true"#, true, ["refused"]),
    (
      #""can_evaluate":{},"validation_method":"NO_VALIDATION","return_type":"JSON","log_types":[]"#, false,
      ["taken"]
    ),
  ])
  func `a Data API that would let more callers in stays off`(
    members: String, isOff: Bool, outcomes: [String]
  ) async throws {
    let file = "http_endpoints/data_api_config.json"
    let app = try await Self.result(of: [file: "{\(members)}"])
    let taken = try Value(json: String(decoding: try #require(app.result.files[file]), as: UTF8.self))
    #expect(try DataAPIConfiguration(notation: taken).isServed == !isOff)
    #expect(app.result.report.items.map(\.outcome.rawValue).sorted() == outcomes, "\(app.result.report.text)")
  }

  @Test func `a default rule about documents is one of each class without rules of its own`() async throws {
    let schema =
      #"{"title":"T","properties":{"_id":{"bsonType":"int"},"owner":{"bsonType":"string"},"tags":{"bsonType":"array","items":{"bsonType":"string"}}}}"#
    let app = try await Self.result(of: [
      "\(Self.source)/default_rule.json":
        #"{"roles":[{"name":"own","apply_when":{},"document_filters":{"read":{"owner":"%%user.id","tags":{"$ne":"secret"}}},"read":true}]}"#,
      "\(Self.source)/d/a/schema.json": schema, "\(Self.source)/d/b/schema.json": "{}",
      "\(Self.source)/d/c/rules.json": Self.open,
      "\(Self.source)/d/e/schema.json": #"{"title":"E","properties":{"_id":{"bsonType":"int"}}}"#,
    ])
    #expect(
      try Self.roles(app) == """
        {"user":{"classes":{"a":{"read":"(owner == %%user.id AND NOT tags == 'secret')","write":false},\
        "b":{"read":"((owner == %%user.id OR owner.@type == 'array' AND owner[*] == %%user.id) \
        AND NOT (tags == 'secret' OR tags.@type == 'array' AND tags[*] == 'secret'))","write":false},\
        "e":{"read":false,"write":false},"c":{"read":true,"write":true}}}}
        """, "\(app.result.report.text)")
  }

  @Test func `services that are not there are told`() async throws {
    let app = try await Self.result(of: [
      "data_sources/Cluster0/config.json": #"{"name":"Cluster0","type":"mongodb-atlas"}"#,
      "data_sources/Cluster0/d/c/rules.json": Self.open,
      "data_sources/Cluster1/config.json": #"{"name":"Cluster1","type":"mongodb-atlas"}"#,
      "data_sources/lake/config.json": #"{"name":"lake","type":"datalake"}"#,
      "data_sources/lake/d/files/rules.json": Self.open,
      "services/sms/config.json": #"{"name":"sms","type":"twilio"}"#,
      "services/sms/rules/rule.json": #"{"name":"r"}"#,
      "services/web/config.json": #"{"name":"web","type":"http"}"#,
      "services/web/incoming_webhooks/ping/config.json": "{}",
      "services/web/incoming_webhooks/ping/source.js": "",
      "functions/config.json": #"[{"name":"f"}]"#,
      "functions/f.js":
        #"exports = () => [context.services.get("Cluster0"), context.services.get("Cluster1"), context.services.get("sms")];"#,
      "functions/package.json": "{}", "functions/node_modules.tar.gz": "",
      "functions/node_modules/a/index.js": "",
    ])
    #expect(
      app.result.report.text.split(separator: "\n").filter { !$0.hasPrefix("taken") } == [
        "refused  data_sources/lake/config.json, line 1: services of type “datalake” are not served",
        "refused  services/sms/config.json, line 1: services of type “twilio” are not served",
        "changed  services/web/incoming_webhooks/ping/config.json: the webhook is the endpoint /app/ID/endpoint/web/ping: its senders need that address",
        "refused  functions/node_modules.tar.gz: packages are not taken: install them in functions of the data directory (npm install)",
        "changed  functions/package.json: packages are not taken: install them in functions of the data directory (npm install)",
        "changed  functions/f.js: it asks for the service “sms”, which is not there",
        "6 taken, 3 to look at, 3 refused",
      ], "\(app.result.report.text)")
    #expect(
      app.result.files["functions/package.json"] != nil
        && app.result.files["functions/node_modules.tar.gz"] == nil)
    let schema = String(decoding: try #require(app.result.files["schema.json"]), as: UTF8.self)
    #expect(!schema.contains("files"))
    for name in ["Cluster0", "Cluster1"] {
      let config = try #require(app.result.files["data_sources/\(name)/config.json"])
      #expect(String(decoding: config, as: UTF8.self) == #"{"name":"\#(name)","type":"mongodb-atlas"}"#)
    }
    #expect(app.result.files["data_sources/lake/config.json"] == nil)
  }

  @Test(arguments: [
    (#"{"name":"A","type":"mongodb-atlas","config":{"clusterName":"C"},"version":1}"#, "A", 0),
    (#"{"name":"A","type":"mongodb-atlas","readOnly":true}"#, "A", 1), (#"{"type":"mongodb-atlas"}"#, "f", 1),
    (#"{"name":"A"}"#, "A", 0),
  ])
  func `the name of a data source is one that the server can read`(
    json: String, name: String, refused: Int
  ) async throws {
    for folder in ["data_sources/f", "services/f"] where json.contains("type") || folder.hasPrefix("data") {
      let app = try await Self.result(of: ["\(folder)/config.json": json])
      let bytes = try #require(app.result.files["data_sources/f/config.json"])
      let taken = try DataSourceConfiguration(notation: Value(json: String(decoding: bytes, as: UTF8.self)))
      #expect(taken.name == name && taken.isDatabase)
      #expect(app.result.report.count(.refused) == refused, "\(app.result.report.text)")
    }
  }

  @Test func `classes that do not fit are refused as a whole, with their rules and indexes`() async throws {
    let app = try await Self.result(of: [
      // “$x” is no name of a property.
      "\(Self.source)/d/bad/schema.json":
        #"{"title":"Bad","properties":{"_id":{"bsonType":"int"},"$x":{"bsonType":"int"}}}"#,
      "\(Self.source)/d/bad/rules.json": Self.open,
      "\(Self.source)/d/good/schema.json": "{}", "\(Self.source)/d/good/rules.json": Self.open,
    ])
    #expect(
      app.result.report.text.split(separator: "\n").filter { $0.contains("/bad/") }.map { $0.prefix(60) } == [
        "refused  data_sources/mongodb-atlas/d/bad/schema.json: class",
        "refused  data_sources/mongodb-atlas/d/bad/rules.json, line 1",
      ], "\(app.result.report.text)")
    #expect(try Self.roles(app) == #"{"user":{"classes":{"good":{"read":true,"write":true}}}}"#)
  }

  @Test func `rights that mean nothing in a class are refused, and not taken`() async throws {
    let schema =
      #"{"properties":{"_id":{"bsonType":"int"},"a":{"bsonType":"string"}},"required":["_id"]}"#
    let app = try await Self.result(of: [
      "\(Self.source)/d/c/schema.json": schema,
      "\(Self.source)/d/c/rules.json":
        #"{"roles":[{"name":"all","apply_when":{},"read":{"a":5}}]}"#,
      "\(Self.source)/d/e/schema.json": schema,
      "\(Self.source)/d/e/rules.json":
        #"{"roles":[{"name":"boss","apply_when":{"%%user.custom_data.boss":true},"read":{"a":{"$gt":true}}}]}"#,
    ])
    #expect(
      try Self.roles(app)
        == #"{"user":{"classes":{"c":{"read":false,"write":false},"e":{"read":false,"write":false}}}}"#)
    #expect(Self.refusals(app).count == 2, "\(app.result.report.text)")
  }

  @Test func `a function that nobody could call as its rule says is told`() async throws {
    let app = try await Self.result(of: [
      "functions/config.json": """
      [{"name":"a","can_evaluate":{"%%user.id":{"%in":"%%values.admins"}}},{"name":"b","can_evaluate":{"%%args.0":"%%user.id"}},
       {"name":"c","can_evaluate":{"%%user.id":{"%regex":"x"}}},{"name":"d","can_evaluate":{}},{"name":"gone"}]
      """,
      "functions/a.js": "", "functions/b.js": "", "functions/c.js": "", "functions/d.js": "",
    ])
    #expect(
      app.result.report.text.split(separator: "\n").filter { !$0.hasPrefix("taken") } == [
        "changed  functions/config.json, line 1: nobody may call a: its rule asks “%%user” and “%%args” with the operators of comparisons, and “%%values.admins” is none of that",
        "changed  functions/config.json, line 2: nobody may call c: its rule asks “%%user” and “%%args” with the operators of comparisons, and a part of it is none of that",
        "refused  functions/config.json, line 2: function gone has no file",
        "4 taken, 2 to look at, 1 refused",
      ])
  }

  @Test(arguments: [false, true])
  func `relationships are values as they were, or links`(makesLinks: Bool) async throws {
    let app = try await Self.result(
      of: [
        "\(Self.source)/d/t/schema.json":
          #"{"title":"t","properties":{"_id":{"bsonType":"int"},"p":{"bsonType":"objectId"}},"required":["_id"]}"#,
        "\(Self.source)/d/t/relationships.json":
          ##"{"p":{"ref":"#/relationship/mongodb-atlas/d/people","foreign_key":"_id","is_list":false}}"##,
        "\(Self.source)/d/people/schema.json":
          #"{"title":"people","properties":{"_id":{"bsonType":"objectId"}},"required":["_id"]}"#,
      ], makesLinks: makesLinks)
    let schema = String(decoding: try #require(app.result.files["schema.json"]), as: UTF8.self)
    #expect(schema.contains(makesLinks ? #""p":"people?""# : #""p":"objectId?""#), "\(schema)")
    #expect(Self.refusals(app) == [] && app.result.report.count(.changed) == 1)
  }

  @Test func `packages without their list are told`() async throws {
    let app = try await Self.result(of: ["functions/node_modules/a/index.js": ""])
    #expect(
      Self.refusals(app) == [
        "functions/node_modules: packages are not taken: install them in functions of the data directory (npm install)"
      ])
  }

  @Test func `a default rule that gives no rights is exported`() async throws {
    try await Shell.with { shell in
      try shell.write(#"[{"name":"Free","schemaless":true}]"#, to: "schema.json")
      try FileManager.default.createDirectory(
        atPath: "\(shell.folder)/data/auth", withIntermediateDirectories: true)
      try shell.write(#"{"user":{"classes":{"*":{}}}}"#, to: "data/auth/roles.json")
      for command in ["schema apply @/schema.json", "app export @/app"] {
        let outcome = try await shell.run(command)
        try #require(outcome.code == 0, "\(command): \(outcome)")
      }
      let folder = try AppFolder("\(shell.folder)/app")
      let app = try AppImport(folder)
      #expect(
        try Self.roles(app)
          == #"{"user":{"classes":{"*":{"read":false,"write":false}}}}"#)
      let config = String(decoding: try #require(app.result.files["realm_config.json"]), as: UTF8.self)
      #expect(config == "{\"config_version\":20210101,\"name\":\"app\"}\n")
    }
  }

  @Test func `what is exported is taken again as it was`() async throws {
    let notation = """
      {"user":{"classes":{"Note":{"read":true,"write":"(owner == %%user.id)","fields":{"stars":{"write":false}}},"*":{"read":true}}},
       "editor":{"classes":{"Note":{"read":true,"write":true},"Log":{"read":"(NOT tags == 'x')","write":"(NOT tags == 'x')"}}},
       "auditor":{"classes":{"*":{"read":true,"write":true}}},
       "guest":{"classes":{"Free":{"read":"((a == 1 OR a.@type == 'array' AND a[*] == 1))","write":false}}}}
      """
    let classes = """
      [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","owner":"string","stars":"int?"}},
       {"name":"Log","primaryKey":"_id","properties":{"_id":"int","tags":"string[]"}},
       {"name":"Other","primaryKey":"_id","properties":{"_id":"int"}},{"name":"Free","schemaless":true}]
      """
    try await Shell.with { shell in
      try shell.write(classes, to: "schema.json")
      for folder in ["data", "data/auth"] {
        try FileManager.default.createDirectory(
          atPath: "\(shell.folder)/\(folder)", withIntermediateDirectories: true)
      }
      try shell.write(notation, to: "data/auth/roles.json")
      for command in ["schema apply @/schema.json", "app export @/app"] {
        let outcome = try await shell.run(command)
        try #require(outcome.code == 0 && !outcome.error.contains("left out"), "\(command): \(outcome)")
      }
      let app = try AppImport(try AppFolder("\(shell.folder)/app"), makesLinks: true)
      let schema = try Schema(notation: Value(json: classes))
      let before = try Policy(notation: Value(json: notation))
      let after = try Policy(notation: Value(json: Self.roles(app)))
      // Rights that are said of each class are those on others, where there are no more of these.
      for (name, role) in before.roles {
        for type in schema.objectTypes {
          let known = after.roles[name]
          #expect(
            (known?.classes[type.name] ?? known?.others ?? ClassRole.none)
              == (role.classes[type.name] ?? role.others),
            "\(name) \(type.name)")
        }
        #expect((after.roles[name]?.others ?? ClassRole.none) == role.others, "\(name)")
      }
      #expect(Self.refusals(app) == [], "\(app.result.report.text)")
    }
  }
}
