import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Tries to get at a forbidden object, and at a forbidden property, by every route that there is.
@Suite struct ForbiddenTests {
  @Test func `no route shows what its caller may not see`() async throws {
    let attempt = try await IntrusionFixture()
    for route in Endpoint.all {
      for intrusion in Intruder.readings(route) {
        let answer = try await attempt.send(intrusion, by: attempt.intruder)
        // A document has no field of a name that it does not have: that is no mistake.
        let refused: Set<UInt16> =
          intrusion.namesSecret && route != .runDataAction ? [400, 403, 404] : [200, 403, 404]
        #expect(refused.contains(answer.status), "\(intrusion): \(answer.status) \(answer.text)")
        #expect(!answer.text.contains("SECRET"), "\(intrusion): \(answer.text)")
        // The administrator gets another answer, or the attempt would prove nothing.
        let whole = try await attempt.send(intrusion, by: attempt.administrator)
        #expect(whole.status == 200, "\(intrusion): \(whole.text)")
        #expect(whole.text != answer.text, "\(intrusion): \(whole.text)")
      }
    }
    await attempt.fixture.remove()
  }

  @Test(arguments: Endpoint.all.filter { !Intruder.writings($0).isEmpty })
  func `no route changes what its caller may not change`(endpoint: Endpoint) async throws {
    let attempt = try await IntrusionFixture()
    for intrusion in Intruder.writings(endpoint) {
      let version = attempt.fixture.store.version
      let answer = try await attempt.send(intrusion, by: attempt.intruder)
      let isWithout = answer.status == 200 && Self.nothing.contains(answer.text)
      // To make an object is to find its key taken, and nothing more.
      let isTaken = answer.code == "object_exists" || answer.text.contains("Duplicate key error")
      let refused: Set<UInt16> = intrusion.namesSecret ? [400, 403, 404, 422] : [403, 404]
      #expect(
        refused.contains(answer.status) || isWithout || isTaken,
        "\(intrusion): \(answer.status) \(answer.text)")
      #expect(!answer.text.contains("SECRET"), "\(intrusion): \(answer.text)")
      #expect(attempt.fixture.store.version == version, "\(intrusion)")
    }
    // Not before all were tried, as some of them take away what others are about.
    for intrusion in Intruder.writings(endpoint) {
      let answer = try await attempt.send(intrusion, by: attempt.administrator)
      #expect(answer.status < 300 || [404, 409].contains(answer.status), "\(intrusion): \(answer.text)")
    }
    await attempt.fixture.remove()
  }

  /// The answers of writes that have found nothing.
  private static let nothing: Set<String> = [
    #"{"count":0}"#, #"{"matchedCount":0,"modifiedCount":0}"#, #"{"deletedCount":0}"#, #"{"document":null}"#,
  ]

  @Test func `a name that is hidden is one that there is not`() async throws {
    let attempt = try await IntrusionFixture()
    for route in Endpoint.all {
      for intrusion in Intruder.readings(route) + Intruder.writings(route) where intrusion.namesSecret {
        let answer = try await attempt.send(intrusion, by: attempt.intruder)
        let unknown = try await attempt.send(intrusion.namingNothing, by: attempt.intruder)
        #expect(
          (answer.status, answer.code) == (unknown.status, unknown.code), "\(intrusion): \(answer.text)")
        #expect(answer.text.replacing("secret", with: "nothng") == unknown.text, "\(intrusion)")
      }
    }
    await attempt.fixture.remove()
  }

  @Test func `each route that shows or changes objects is tried`() {
    for route in Endpoint.all where route.requires == .permit {
      let tries = Intruder.readings(route) + Intruder.writings(route)
      #expect(!tries.isEmpty, "\(route.template)")
    }
  }

  @Test func `a route for administrators is for nobody else`() async throws {
    let attempt = try await IntrusionFixture()
    for route in Endpoint.all where route.requires == .administration || route.requires == .metrics {
      let target = route.template.replacing("{class}", with: "Note").replacing("{key}", with: "x")
        .replacing("{email}", with: "x").replacing("{user}", with: "x")
      let answer = try await attempt.send(Intrusion(route.method, target, "[]"), by: attempt.intruder)
      #expect((answer.status, answer.code) == (403, "forbidden"), "\(target)")
    }
    await attempt.fixture.remove()
  }

  @Test func `a key of the role metrics reads metrics, and nothing of any object`() async throws {
    let attempt = try await IntrusionFixture()
    let key = try await attempt.fixture.gateway.context.access.makeKey(name: "", role: "metrics", classes: [])
    let scraper = ["authorization": "Bearer \(key.text)"]
    #expect(try await attempt.send(Intrusion(.get, "/metrics"), by: scraper).status == 200)
    for route in Endpoint.all where route.requires == .permit || route.requires == .administration {
      for intrusion in Intruder.readings(route) + Intruder.writings(route) {
        let answer = try await attempt.send(intrusion, by: scraper)
        #expect(!answer.text.contains("SECRET") && answer.status != 201, "\(intrusion): \(answer.text)")
      }
    }
    #expect(try await attempt.send(Intrusion(.get, "/v1/collections/Note"), by: scraper).status == 403)
    #expect(try await attempt.send(Intrusion(.get, "/v1/keys"), by: scraper).status == 403)
    await attempt.fixture.remove()
  }

  @Test func `without a credential only probes and the console are answered`() async throws {
    let attempt = try await IntrusionFixture()
    for route in Endpoint.all {
      let target = [
        "{class}": "Note", "{id}": "1", "{path}": "text", "{key}": "x", "{app}": "a", "{name}": "f",
        "{email}": "x", "{user}": "x", "{stream}": "x", "{subscription}": "x", "{action}": "find",
      ].reduce(route.template) {
        $0.replacing($1.key, with: $1.value)
      }
      let answer = try await attempt.send(Intrusion(route.method, target, "[]"), by: [:])
      if route.template.hasPrefix(Endpoint.appServicesPath) {
        // Routes without a requirement ask for tokens of their own, or for none.
        #expect(route.requires == .nothing || answer.status == 401, "\(target)")
      } else if route == .rootPage || route == .consoleFile {
        // It is not asked for as HTML, or is no file of the console.
        #expect((answer.status, answer.code) == (404, "route_not_found"), "\(target)")
      } else if route == .runDataAction {
        #expect(answer.status == 401 && answer.text.contains("no authentication methods"), "\(target)")
      } else if route.request.isOpen {
        // There are no such endpoints.
        #expect(answer.status == 404, "\(target)")
      } else if route.requires == .nothing {
        #expect(answer.status == 200, "\(target)")
      } else {
        #expect((answer.status, answer.code) == (401, "unauthorized"), "\(target)")
        #expect(answer.fields["www-authenticate"] == #"Bearer realm="gatehouse""#)
      }
    }
    await attempt.fixture.remove()
  }

  @Test(arguments: [
    ("Basic YTpi", #"Bearer realm="gatehouse""#),
    ("Bearer x", #"Bearer realm="gatehouse", error="invalid_token""#),
    ("Bearer gk_5f0000000000000000000001_00", #"Bearer realm="gatehouse", error="invalid_token""#),
  ])
  func `a credential that is none is refused`(field: String, challenge: String) async throws {
    let attempt = try await IntrusionFixture()
    let answer = try await attempt.send(Intrusion(.get, "/v1/schema"), by: ["authorization": field])
    #expect((answer.status, answer.fields["www-authenticate"]) == (401, challenge))
    await attempt.fixture.remove()
  }

  @Test(arguments: ["/v1/collections/Note", "/v1/collections/Note/1"])
  func `events tell what their subscriber may see`(target: String) async throws {
    let attempt = try await IntrusionFixture()
    let watcher = try await attempt.fixture.watch(target, attempt.intruder)
    _ = await watcher.events(through: "ready")
    for change in [#"{"n":5}"#, #"{"secret":"SECRET 2"}"#, #"{"owner":"SECRET"}"#, #"{"text":"SECRET"}"#] {
      let answer = try await attempt.fixture.send(
        .patch, "/v1/collections/Note/1", attempt.administrator, json: change)
      try #require(answer.status == 200)
      _ = try await attempt.fixture.send(
        .patch, "/v1/collections/Note/2", attempt.administrator, json: #"{"n":5}"#)
    }
    await attempt.fixture.settle()
    let text = watcher.text
    #expect(text.contains(#""n":5"#) && text.contains("unmatched"), "\(text)")
    #expect(!text.contains("SECRET"), "\(text)")
    #expect(!text.contains(#""id":2"#), "\(text)")
    await attempt.fixture.remove()
  }

  @Test(arguments: [
    ("/v1/collections/Vault", 403), ("/v1/collections/Vault/1", 403), ("/v1/collections/Vault/1/text", 403),
    ("/v1/collections/Note/2", 404), ("/v1/collections/Note/2/text", 404),
    ("/v1/collections/Note?filter=secret%20==%20'x'", 400), ("/v1/collections/Note?fields=secret", 400),
    ("/v1/collections/Note?keyPaths=secret", 400), ("/v1/collections/Note/1/secret", 404),
    ("/v1/collections/Note?filter=next.secret%20==%20'x'", 400),
  ])
  func `who may not see something cannot watch it`(target: String, status: UInt16) async throws {
    let attempt = try await IntrusionFixture()
    let fields = attempt.intruder.merging(["accept": "text/event-stream"]) { $1 }
    let answer = try await attempt.fixture.send(.get, target, fields)
    #expect(answer.status == status, "\(answer.text)")
    await attempt.fixture.remove()
  }

  @Test func `what the caller may see and change is as ever`() async throws {
    let attempt = try await IntrusionFixture()
    let mine = try await attempt.send(
      Intrusion(.get, "/v1/collections/Note?sort=id&fields=id,text"), by: attempt.intruder)
    #expect(mine.text == #"[{"id":1,"text":"mine"},{"id":3,"text":"too"}]"#)
    let counts = try await attempt.send(Intrusion(.get, "/v1/collections"), by: attempt.intruder)
    #expect(counts.text == #"[{"class":"Note","count":2},{"class":"Topic","count":2}]"#)
    let whole = try await attempt.send(
      Intrusion(.get, "/v1/collections/Note/1?expand=topic"), by: attempt.intruder)
    #expect(whole.text.contains(#""topic":{"id":1,"name":"a"}"#), "\(whole.text)")
    let made = try await attempt.send(
      Intrusion(.post, "/v1/collections/Note", #"{"id":5,"owner":"me"}"#), by: attempt.intruder)
    #expect(
      made.status == 201 && made.text.hasPrefix(#"{"id":5,"owner":"me","text":null,"n":0"#), "\(made.text)")
    let changed = try await attempt.send(
      Intrusion(.patch, "/v1/collections/Note?filter=TRUEPREDICATE", #"{"n":9}"#), by: attempt.intruder)
    #expect(changed.text == #"{"count":3}"#)
    let linking = try await attempt.send(
      Intrusion(.get, "/v1/collections/Topic/1/notes?fields=id"), by: attempt.intruder)
    #expect(linking.text == #"[{"id":1}]"#)
    let gone = try await attempt.send(Intrusion(.delete, "/v1/collections/Note/5"), by: attempt.intruder)
    #expect(gone.status == 200 || gone.status == 204)
    await attempt.fixture.remove()
  }

  @Test func `an answer kept for one caller is not given to another`() async throws {
    let attempt = try await IntrusionFixture()
    let intrusion = Intrusion(
      .post, "/v1/collections/Note", #"{"id":7,"owner":"me"}"#, ["idempotency-key": #""k""#])
    #expect(try await attempt.send(intrusion, by: attempt.administrator).status == 201)
    #expect(try await attempt.send(intrusion, by: attempt.intruder).code == "object_exists")
    await attempt.fixture.remove()
  }

  @Test func `a key that is taken away opens nothing any more`() async throws {
    let attempt = try await IntrusionFixture()
    let keys = try await attempt.send(Intrusion(.get, "/v1/keys"), by: attempt.administrator)
    #expect(!keys.text.contains("gk_") && !keys.text.contains("hash"))
    let made = try await attempt.send(
      Intrusion(.post, "/v1/keys", #"{"role":"read","classes":["Topic"],"name":"t"}"#),
      by: attempt.administrator)
    guard case .string(let text)? = try made.document["key"], case .string(let id)? = try made.document["id"]
    else {
      Issue.record("\(made.text)")
      return
    }
    let reader = ["authorization": "bearer \(text)"]
    #expect(try await attempt.send(Intrusion(.get, "/v1/collections/Topic"), by: reader).status == 200)
    #expect(try await attempt.send(Intrusion(.get, "/v1/collections/Note"), by: reader).status == 403)
    #expect(
      try await attempt.send(Intrusion(.delete, "/v1/keys/\(id)"), by: attempt.administrator).status == 204)
    #expect(try await attempt.send(Intrusion(.get, "/v1/collections/Topic"), by: reader).status == 401)
    #expect(
      try await attempt.send(Intrusion(.delete, "/v1/keys/\(id)"), by: attempt.administrator).code
        == "key_not_found")
    // As another process of the same store will see it.
    let other = try AccessControl(attempt.fixture.store)
    #expect(other.keys.count == 2 && other.isGuarded)
    await attempt.fixture.remove()
  }

  @Test(arguments: [
    (#"{"role":"nope"}"#, "/role", "unknown_role"), ("{}", "/role", "member_missing"),
    (#"{"role":1}"#, "/role", "wrong_type"), ("[]", "", "wrong_type"),
    (#"{"role":"read","classes":["Nope"]}"#, "/classes/0", "unknown_class"),
  ])
  func `a key is of a role and of classes that there are`(
    json: String, pointer: String, code: String
  ) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.post, "/v1/keys", json: json)
      #expect((answer.status, answer.pointers) == (422, [pointer]))
      #expect(answer.errors?.contains(#""\#(code)""#) == true)
      #expect(!fixture.gateway.context.access.isGuarded)
    }
  }

  @Test func `roles that mean nothing are refused, and the old ones stay`() async throws {
    let attempt = try await IntrusionFixture()
    let answer = try await attempt.send(
      Intrusion(.put, "/v1/roles", #"{"member":{"classes":{"Nope":{}}}}"#), by: attempt.administrator)
    #expect(
      (answer.status, answer.code, answer.pointers) == (422, "invalid_content", ["/member/classes/Nope"]))
    let roles = try await attempt.send(Intrusion(.get, "/v1/roles"), by: attempt.administrator)
    #expect(roles.text.contains("owner == 'me'"))
    await attempt.fixture.remove()
  }
}
