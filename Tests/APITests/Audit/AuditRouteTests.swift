import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

// Every route, and what is recorded of requests to it: by Realm's rules an object that is shown is a read, a
// transaction a write, and numbers, schemas and permissions neither.

private let kennel = """
  [{"name":"Person","primaryKey":"_id","properties":{"_id":"int","name":"string","dog":"Dog?","tags":"string{}",\
  "friends":"Person[]"}},\
  {"name":"Dog","primaryKey":"_id","properties":{"_id":"int","name":"string",\
  "owners":{"type":"linkingObjects","objectType":"Person","property":"dog"}}}]
  """

private let rex = #"{"_id":1,"name":"Rex"}"#
private let fido = #"{"_id":2,"name":"Fido"}"#
private let ann = #"{"_id":1,"dog":1,"friends":[2],"name":"Ann","tags":{"a":"x"}}"#
private let bob = #"{"_id":2,"dog":null,"friends":[],"name":"Bob","tags":{}}"#

private func read(_ type: String, _ objects: String...) -> String {
  #"read {"type":"\#(type)","value":[\#(objects.joined(separator: ","))]}"#
}

private func write(_ type: String, _ kind: String, _ objects: String...) -> String {
  #"write {"\#(type)":{"\#(kind)":[\#(objects.joined(separator: ","))]}}"#
}

private func change(_ type: String, to new: String, from old: String) -> String {
  write(type, "modifications", #"{"newValue":\#(new),"oldValue":\#(old)}"#)
}

/// A request, and what is stored of it.
struct Recorded: Sendable {
  let method: GatehouseHTTP.Method
  let target: String
  var accept: String?
  var json: String?
  var events: [String] = []
}

private let dogs = "/v1/collections/Dog"
private let people = "/v1/collections/Person"
private let app = "/api/client/v2.0"

/// A request to a route that a function answers.
private func ofEndpoint(_ method: GatehouseHTTP.Method) -> [Recorded] {
  [Recorded(method: method, target: "/app/a/endpoint/sum", events: [#"function {"function":"sum"}"#])]
}

/// Requests to endpoints, one at least to each of which something is recorded.
private let requests: [Endpoint: [Recorded]] = [
  .liveness: [Recorded(method: .get, target: "/livez")],
  .readiness: [Recorded(method: .get, target: "/readyz")],
  .contract: [Recorded(method: .get, target: "/openapi.yaml")],
  .rootPage: [Recorded(method: .get, target: "/", accept: "text/html")],
  .consolePage: [Recorded(method: .get, target: "/console")],
  .consoleFile: [Recorded(method: .get, target: "/console/Page/main.js")],
  .metrics: [Recorded(method: .get, target: "/metrics")],
  .readSchema: [Recorded(method: .get, target: "/v1/schema")],
  .readObjectType: [Recorded(method: .get, target: "/v1/schema/Dog")],
  .applySchema: [
    Recorded(
      method: .put, target: "/v1/schema",
      json: kennel.dropLast() + #",{"name":"Cat","properties":{"name":"string"}}]"#,
      events: [#"schema {"changes":["Cat: class added"]}"#])
  ],
  .applyObjectType: [
    Recorded(
      method: .put, target: "/v1/schema/Cat", json: #"{"name":"Cat","properties":{"name":"string"}}"#,
      events: [#"schema {"changes":["Cat: class added"]}"#])
  ],
  .countObjects: [Recorded(method: .get, target: "/v1/collections")],
  .findObjects: [
    Recorded(method: .get, target: dogs, events: [read("Dog", rex, fido)]),
    Recorded(method: .get, target: dogs + "?fields=name&limit=1", events: [read("Dog", rex)]),
    Recorded(method: .get, target: dogs + "?sectionBy=name", events: [read("Dog", rex, fido)]),
    Recorded(method: .get, target: dogs, accept: "application/x-ndjson", events: [read("Dog", rex, fido)]),
    Recorded(method: .get, target: dogs, accept: "application/bson", events: [read("Dog", rex, fido)]),
    Recorded(
      method: .get, target: people + "?filter=_id==1&expand=dog",
      events: [
        read("Person", #"{"_id":1,"dog":\#(rex),"friends":[2],"name":"Ann","tags":{"a":"x"}}"#),
        read("Dog", rex),
      ]),
    Recorded(method: .get, target: dogs + "?filter=_id==9"),
    Recorded(method: .get, target: dogs + "?aggregate=@count"),
    Recorded(
      method: .get, target: dogs + "?filter=_id==2&aggregate=@count,_id.@max", events: [read("Dog", fido)]),
    Recorded(method: .get, target: dogs + "?explain=true"),
  ],
  .queryObjects: [
    Recorded(
      method: .query, target: dogs, json: #"{"filter":"name == 'Rex'"}"#, events: [read("Dog", rex)])
  ],
  .runQuery: [
    Recorded(
      method: .post, target: "/v1/query", json: #"{"from":"Dog","sort":"-_id"}"#,
      events: [read("Dog", rex, fido)])
  ],
  .createObjects: [
    Recorded(
      method: .post, target: dogs, json: #"{"_id":3,"name":"Max"}"#,
      events: [write("Dog", "insertions", #"{"_id":3,"name":"Max"}"#)])
  ],
  .patchObjects: [
    Recorded(
      method: .patch, target: dogs + "?filter=_id==1", json: #"{"name":"Max"}"#,
      events: [change("Dog", to: #"{"name":"Max"}"#, from: rex)])
  ],
  .deleteObjects: [
    Recorded(
      method: .delete, target: dogs + "?filter=_id==2", events: [write("Dog", "deletions", fido)])
  ],
  .readObject: [
    Recorded(method: .get, target: people + "/2", events: [read("Person", bob)]),
    Recorded(method: .get, target: people + "/2?fields=name", events: [read("Person", bob)]),
    Recorded(
      method: .get, target: dogs + "/1?fields=name,owners&expand=owners",
      events: [read("Dog", rex), read("Person", ann)]),
    Recorded(method: .get, target: people + "/9"),
  ],
  .putObject: [
    Recorded(
      method: .put, target: dogs + "/1", json: #"{"name":"Max"}"#,
      events: [change("Dog", to: #"{"name":"Max"}"#, from: rex)])
  ],
  .patchObject: [
    Recorded(
      method: .patch, target: dogs + "/1", json: #"{"name":"Rex"}"#,
      events: [change("Dog", to: "{}", from: rex)])
  ],
  .deleteObject: [
    Recorded(method: .delete, target: dogs + "/2", events: [write("Dog", "deletions", fido)])
  ],
  .readProperty: [
    Recorded(method: .get, target: people + "/2/name", events: [read("Person", bob)]),
    Recorded(method: .get, target: people + "/1/tags/a", events: [read("Person", ann)]),
    Recorded(
      method: .get, target: people + "/1/dog/name",
      events: [
        read("Person", #"{"_id":1,"dog":\#(rex),"friends":[2],"name":"Ann","tags":{"a":"x"}}"#),
        read("Dog", rex),
      ]),
    Recorded(method: .get, target: dogs + "/1/owners", events: [read("Dog", rex), read("Person", ann)]),
    Recorded(
      method: .get, target: dogs + "/1/owners?aggregate=@count,_id.@max",
      events: [read("Dog", rex), read("Person", ann)]),
  ],
  .putProperty: [
    Recorded(
      method: .put, target: dogs + "/1/name", json: #""Max""#,
      events: [change("Dog", to: #"{"name":"Max"}"#, from: rex)])
  ],
  .patchProperty: [
    Recorded(
      method: .patch, target: people + "/1/tags", json: #"{"b":"y"}"#,
      events: [change("Person", to: #"{"tags":{"a":"x","b":"y"}}"#, from: ann)])
  ],
  .extendProperty: [
    Recorded(
      method: .post, target: people + "/1/friends", json: "1",
      events: [change("Person", to: #"{"friends":[2,1]}"#, from: ann)])
  ],
  .deleteProperty: [
    Recorded(
      method: .delete, target: people + "/1/tags/a",
      events: [change("Person", to: #"{"tags":{}}"#, from: ann)])
  ],
  .runDataAction: [
    Recorded(
      method: .post, target: DataAPITests.target("find"),
      json: DataAPITests.content("Dog", #""filter":{"name":{"$regex":"x$"}},"projection":{"_id":0}"#),
      events: [read("Dog", rex)]),
    Recorded(
      method: .post, target: DataAPITests.target("count"), json: DataAPITests.content("Dog", "")),
    Recorded(
      method: .post, target: DataAPITests.target("aggregate"),
      json: DataAPITests.content(
        "Person",
        #""pipeline":[{"$match":{"_id":1}},{"$lookup":{"from":"Dog","localField":"dog","foreignField":"_id","as":"d"}}]"#
      ),
      events: [read("Person", ann), read("Dog", rex)]),
    Recorded(
      method: .post, target: DataAPITests.target("insertOne"),
      json: DataAPITests.content("Dog", #""document":{"_id":3,"name":"Max"}"#),
      events: [write("Dog", "insertions", #"{"_id":3,"name":"Max"}"#)]),
    Recorded(
      method: .post, target: DataAPITests.target("updateOne"),
      json: DataAPITests.content("Dog", #""filter":{"name":"Rex"},"update":{"$set":{"name":"Max"}}"#),
      events: [change("Dog", to: #"{"name":"Max"}"#, from: rex)]),
    Recorded(
      method: .post, target: DataAPITests.target("findOneAndDelete"),
      json: DataAPITests.content("Dog", #""filter":{"name":"Fido"}"#),
      events: [read("Dog", fido), write("Dog", "deletions", fido)]),
  ],
  .runTransaction: [
    Recorded(
      method: .post, target: "/v1/transactions",
      json: #"{"operations":[{"op":"delete","class":"Dog","id":2}]}"#,
      events: [write("Dog", "deletions", fido)])
  ],
  .readChanges: [
    Recorded(method: .get, target: "/v1/changes?since=0&class=Dog", events: [read("Dog", rex, fido)]),
    Recorded(
      method: .get, target: "/v1/changes?since=0", accept: "application/x-ndjson",
      events: [read("Dog", rex, fido), read("Person", ann, bob)]),
    Recorded(method: .get, target: "/v1/changes?since=now"),
  ],
  .listKeys: [Recorded(method: .get, target: "/v1/keys")],
  .createKey: [Recorded(method: .post, target: "/v1/keys", json: #"{"name":"k","role":"admin"}"#)],
  .revokeKey: [Recorded(method: .delete, target: "/v1/keys/x")],
  .readRoles: [Recorded(method: .get, target: "/v1/roles")],
  .applyRoles: [Recorded(method: .put, target: "/v1/roles", json: "{}")],
  .beginScope: [Recorded(method: .post, target: "/v1/audit/scopes", json: #"{"activity":"a"}"#)],
  .commitScope: [Recorded(method: .post, target: "/v1/audit/scopes/9/commit", json: "")],
  .cancelScope: [Recorded(method: .post, target: "/v1/audit/scopes/9/cancel", json: "")],
  .recordEvent: [
    Recorded(
      method: .post, target: "/v1/audit/events", json: #"{"activity":"do","event":"login","data":"d"}"#,
      events: ["login d"])
  ],
  .updateMetadata: [Recorded(method: .put, target: "/v1/audit/metadata", json: #"{"ward":"3"}"#)],
  .listFunctions: [Recorded(method: .get, target: "/v1/functions")],
  .callFunction: [
    Recorded(
      method: .post, target: "/v1/functions/sum", json: "[1,2]", events: [#"function {"function":"sum"}"#])
  ],
  .callAppFunction: [
    Recorded(
      method: .post, target: app + "/app/a/functions/call", json: #"{"name":"sum","arguments":[1]}"#,
      events: [#"function {"function":"sum"}"#])
  ],
  // {"name":"sum","arguments":[1]}
  .streamAppFunction: [
    Recorded(
      method: .get,
      target: app + "/app/a/functions/call?baas_request=eyJuYW1lIjoic3VtIiwiYXJndW1lbnRzIjpbMV19",
      events: [#"function {"function":"sum"}"#])
  ],
  .getEndpoint: ofEndpoint(.get), .postEndpoint: ofEndpoint(.post), .putEndpoint: ofEndpoint(.put),
  .patchEndpoint: ofEndpoint(.patch), .deleteEndpoint: ofEndpoint(.delete),
  .createApp: [
    Recorded(
      method: .post, target: "/v1/apps", json: #"{"name":"shop"}"#,
      events: [#"administration {"method":"POST","app":"shop"}"#])
  ],
  .changeApp: [
    Recorded(
      method: .patch, target: "/v1/apps/shop", json: #"{"settings":{"adminKey":"secret"}}"#,
      events: [#"administration {"method":"PATCH","app":"shop","settings":["adminKey"]}"#])
  ],
  .deleteApp: [
    Recorded(
      method: .delete, target: "/v1/apps/shop?confirm=shop",
      events: [#"administration {"method":"DELETE","app":"shop"}"#])
  ],
  .putAppGroup: [
    Recorded(
      method: .put, target: "/v1/apps/shop/groups/archive", json: #"{"classes":["B","A"]}"#,
      events: [#"administration {"method":"PUT","app":"shop","group":"archive","classes":["A","B"]}"#])
  ],
  .deleteAppGroup: [
    Recorded(
      method: .delete, target: "/v1/apps/shop/groups/archive",
      events: [#"administration {"method":"DELETE","app":"shop","group":"archive"}"#])
  ],
  // Users are no objects.
  .appLocation: [Recorded(method: .get, target: app + "/app/a/location")],
  .appLogin: [
    Recorded(
      method: .post, target: app + "/app/a/auth/providers/local-userpass/login",
      json: #"{"username":"a@b.example","password":"wrong1"}"#,
      events: [
        #"authentication {"code":"unauthorized","method":"POST","route":"\#(app)/app/{app}/auth/providers/{provider}/login"}"#
      ])
  ],
]

@Suite struct AuditRouteTests {
  @Test func `of each endpoint that is recorded an event is expected, and of no other`() {
    for endpoint in Endpoint.all where endpoint != .appLogin {
      let events = requests[endpoint]?.flatMap(\.events) ?? []
      let prefixes: [String] =
        switch endpoint.records {
        case .nothing: []
        case .reads: ["read "]
        case .writes: ["write "]
        case .readsAndWrites: ["read ", "write "]
        case .schemaChanges: ["schema "]
        case .functionCalls: ["function "]
        case .appChanges: ["administration "]
        case .customEvents: ["login "]
        }
      // How many objects there are is not recorded; who watches them all sees them.
      let isSilent = [.countObjects, .openStream, .openStreamByTicket, .addSubscriptions].contains(endpoint)
      #expect(events.isEmpty == (prefixes.isEmpty || isSilent), "\(endpoint)")
      #expect(events.allSatisfy { event in prefixes.contains(where: event.hasPrefix) }, "\(endpoint)")
      #expect(isSilent || prefixes.allSatisfy { prefix in events.contains { $0.hasPrefix(prefix) } })
    }
  }

  @Test(arguments: Endpoint.all)
  func `of a request to each route that is stored which the rules say`(endpoint: Endpoint) async throws {
    let plain = Recorded(
      method: endpoint.method, target: endpoint.template.replacing(/[{}]/, with: ""),
      json: endpoint.reads.isEmpty ? nil : "{}")
    for request in requests[endpoint] ?? [plain] {
      let policy = GatehouseAudit.Policy(events: [
        .refused, .authentication, .function, .schema, .administration,
      ])
      let users = endpoint == .appLogin ? Providers.open : nil
      let fixture = try await Fixture(nil, audit: Auditing(policy), users: users, apps: .ofOne)
      try await fixture.populateKennel()
      fixture.gateway.context.users.endpoints.use([HTTPEndpoint("/sum", nil, calls: "sum")])
      var fields = ["audit-activity": "do"]
      fields["accept"] = request.accept
      if case .credential = endpoint.requires {
        let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
        fields["authorization"] = "Bearer \(key.text)"
      }
      let answer: Answer
      if let json = request.json {
        answer = try await fixture.send(request.method, request.target, fields, json: json)
      } else {
        answer = try await fixture.send(request.method, request.target, fields)
      }
      // That nobody is logged in is recorded of any request for users.
      let stored = try fixture.storedEvents().filter {
        requests[endpoint] != nil || !$0.hasPrefix("do authentication")
      }
      #expect(
        stored == request.events.map { "do \($0)" },
        "\(request.method.rawValue) \(request.target): \(answer.status) \(answer.text)")
      await fixture.remove()
    }
  }
}

extension AppAdministration {
  /// One app, with which nothing is done.
  fileprivate static var ofOne: AppAdministration {
    let app = AppSummary(name: "shop", isOpen: false, failure: nil, size: 0, settings: Document())
    return AppAdministration(
      list: { [app] }, read: { _ in app }, create: { _ in (app, "key") }, change: { _, _ in app },
      remove: { _ in }, groups: Groups(put: { _, _, _, _ in app }, remove: { _, _, _ in }))
  }
}

extension Fixture {
  /// Two people and two dogs, of which nothing is recorded.
  fileprivate func populateKennel() async throws {
    _ = try await store.apply(Schema(notation: Value(json: kennel)), destructive: false)
    for (name, objects) in [("Dog", "[\(rex),\(fido)]"), ("Person", "[\(ann),\(bob)]")] {
      let answer = try await send(.post, "/v1/collections/\(name)", json: objects)
      try #require(answer.status == 201, "\(answer.text)")
    }
  }
}
