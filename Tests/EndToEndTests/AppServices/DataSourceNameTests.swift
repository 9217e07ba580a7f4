import GatehouseTestSupport
import Testing

/// The names by which clients and functions of an imported app ask for its data.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct DataSourceNameTests {
  private static let app = [
    "realm_config.json": #"{"config_version":20210101,"app_id":"shop-abcde","name":"shop"}"#,
    "auth/providers.json": #"{"anon-user":{"name":"anon-user","type":"anon-user","disabled":false}}"#,
    "data_sources/Cluster0/config.json":
      #"{"name":"Cluster0","type":"mongodb-atlas","config":{"clusterName":"c","readPreference":"primary"},"version":1}"#,
    "data_sources/Cluster0/shop/items/rules.json": """
    {"database":"shop","collection":"items","roles":[{"name":"all","apply_when":{},"read":true,"write":true,"insert":true,"delete":true}]}
    """,
    "data_sources/second/config.json": #"{"name":"Other","type":"mongodb-atlas"}"#,
    "data_sources/lake/config.json": #"{"name":"lake","type":"datalake"}"#,
    "functions/config.json": #"[{"name":"counted","private":false}]"#,
    "functions/counted.js":
      "exports = name => context.services.get(name).db('shop').collection('items').count({});",
  ]

  /// The answers of the data source of a name to a client, to a function, and over HTTP.
  private func answers(of name: String, _ server: RunningServer, _ access: [String: String]) throws
    -> [String]
  {
    let call = "/api/client/v2.0/app/shop-abcde/functions/call"
    let place = #""database":"shop","collection":"items""#
    return [
      try server.send(
        "POST", call, fields: access,
        body: #"{"name":"count","service":"\#(name)","arguments":[{\#(place),"query":{}}]}"#
      ).body,
      try server.send("POST", call, fields: access, body: #"{"name":"counted","arguments":["\#(name)"]}"#)
        .body,
      try server.send(
        "POST", "/app/shop-abcde/endpoint/data/v1/action/find", fields: access,
        body: #"{"dataSource":"\#(name)",\#(place)}"#
      ).body,
    ]
  }

  private static let found = [#"{"$numberLong":"0"}"#, #"{"$numberInt":"0"}"#, #"{"documents":[]}"#]

  private func access(to server: RunningServer) throws -> [String: String] {
    let login = try server.send(
      "POST", "/api/client/v2.0/app/shop-abcde/auth/providers/anon-user/login", body: "{}"
    ).json
    return ["Authorization": "Bearer \(try #require(login["access_token"]?.string))"]
  }

  @Test func `an imported app answers to the names of its data sources`() throws {
    let folder = try Folder()
    for (path, text) in Self.app { try AppFiles.write(text, to: "../export/\(path)", folder) }
    let taken = try Gatehouse.run(
      ["app", "import", folder.file("export"), "--data", folder.data], in: folder)
    try #require(taken.status == 0, "\(taken.output)\(taken.error)")
    let key = ["GATEHOUSE_ADMIN_KEY=k3y-of-the-administrator"]
    let server = try RunningServer(folder, environment: key)
    let access = try access(to: server)
    for name in ["Cluster0", "Other"] { #expect(try answers(of: name, server, access) == Self.found) }
    for name in ["mongodb-atlas", "second", "lake"] {
      let refused = try answers(of: name, server, access)
      #expect(refused.allSatisfy { $0.contains("service not found: '\(name)'") }, "\(refused)")
    }
    // Other names are taken while the server runs.
    try AppFiles.write(
      #"{"name":"Renamed","type":"mongodb-atlas"}"#, to: "data_sources/second/config.json", folder)
    #expect(try server.soon { try answers(of: "Renamed", server, access) == Self.found })
    #expect(try answers(of: "Cluster0", server, access) == Self.found)
    #expect(try answers(of: "Other", server, access) != Self.found)
    // A file that means nothing changes nothing.
    try AppFiles.write(#"{"nam":"Bad"}"#, to: "data_sources/third/config.json", folder)
    let isTold = { try folder.contents(folder.file("serve.log")).contains("third/config.json") }
    #expect(try server.soon(isTold))
    #expect(try answers(of: "Renamed", server, access) == Self.found)
    #expect(server.stop() == 0)
    // The name that the operator gives wins.
    let other = try RunningServer(folder, options: ["--data-source", "Given"], environment: key)
    let token = try self.access(to: other)
    #expect(try answers(of: "Given", other, token) == Self.found)
    #expect(try answers(of: "Renamed", other, token) != Self.found)
    #expect(other.stop() == 0)
  }

  @Test func `an app is exported with its data sources, and classes in the first`() throws {
    let folder = try Folder()
    for (path, text) in Self.app { try AppFiles.write(text, to: "../export/\(path)", folder) }
    for command in [
      ["app", "import", folder.file("export"), "--data", folder.data],
      ["app", "export", folder.file("again"), "--name", "shop", "--data", folder.data],
    ] {
      let outcome = try Gatehouse.run(command, in: folder)
      try #require(outcome.status == 0, "\(outcome.error)")
    }
    for name in ["Cluster0", "second"] {
      let file = "data_sources/\(name)/config.json"
      #expect(try folder.contents(folder.file("again/\(file)")) == Self.app[file])
    }
    let found = try folder.shell(
      "cd again/data_sources && find . -name rules.json -o -name config.json | sort")
    #expect(found == "./Cluster0/config.json\n./Cluster0/shop/items/rules.json\n./second/config.json\n")
  }
}
