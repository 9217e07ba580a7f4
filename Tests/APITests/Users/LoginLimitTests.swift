import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Limits of attempts to log in, and of new users.
@Suite struct LoginLimitTests {
  private static let path = "/api/client/v2.0/app/any/auth/providers"
  private static let adminKey = "correct.horse.battery.staple"

  /// A server whose time is what a test makes it, and clients at addresses of their own.
  private struct Site {
    let fixture: Fixture
    let time = Mutexed<Int64>(1_700_000_000)

    init(_ providers: Providers = .open, limits: Users.Limits = Users.Limits(), adminKey: String = "")
      async throws
    {
      let time = time
      fixture = try await Fixture(
        Intruder.schema, users: providers, userLimits: limits, adminKey: adminKey,
        clock: { Date(seconds: time.value) })
    }

    func post(_ name: String, _ json: String, from address: UInt32) async throws -> Answer {
      try await fixture.send(
        .post, "\(LoginLimitTests.path)/\(name)", ["content-type": "application/json"], Array(json.utf8),
        from: .ipv4(address, port: 1))
    }

    func register(_ name: String, from address: UInt32 = 9) async throws -> Answer {
      try await post(
        "local-userpass/register", #"{"email":"\#(name)@example.org","password":"secret1"}"#, from: address)
    }

    func logIn(_ name: String, _ password: String = "secret1", from address: UInt32) async throws -> UInt16 {
      try await post(
        "local-userpass/login", #"{"username":"\#(name)@example.org","password":"\#(password)"}"#,
        from: address
      ).status
    }

    func read(_ key: String, from address: UInt32) async throws -> Answer {
      try await fixture.send(
        .get, "/v1/collections", ["authorization": "Bearer \(key)"], from: .ipv4(address, port: 1))
    }
  }

  @Test func `who fails for an account shuts its owner out at the same address only`() async throws {
    let site = try await Site()
    for name in ["ann", "bob"] { _ = try await site.register(name) }
    for _ in 0..<10 { #expect(try await site.logIn("ann", "wrong", from: 1) == 401) }
    #expect(try await site.logIn("ann", from: 1) == 429)
    #expect(try await site.logIn("ann", from: 2) == 200)
    #expect(try await site.logIn("bob", from: 1) == 200)
    site.time.change { $0 += 60 }
    #expect(try await site.logIn("ann", from: 1) == 200)
    await site.fixture.remove()
  }

  @Test func `a success does not clear the failures of its address`() async throws {
    let site = try await Site()
    for name in ["ann", "eve"] { _ = try await site.register(name) }
    for index in 0..<60 {
      // After each failure somebody logs in with an account of his own.
      #expect(try await site.logIn("x\(index)", "wrong", from: 1) == 401)
      if index < 59 { #expect(try await site.logIn("eve", from: 1) == 200) }
    }
    #expect(try await site.logIn("ann", from: 1) == 429)
    #expect(try await site.logIn("eve", from: 1) == 429)
    #expect(try await site.logIn("eve", from: 2) == 200)
    await site.fixture.remove()
  }

  @Test func `a success clears the failures for its account at its address`() async throws {
    let site = try await Site()
    _ = try await site.register("ann")
    for _ in 0..<3 {
      for _ in 0..<9 { #expect(try await site.logIn("ann", "wrong", from: 1) == 401) }
      #expect(try await site.logIn("ann", from: 1) == 200)
    }
    await site.fixture.remove()
  }

  @Test func `an account that many addresses try leaves few tries to each, and its owner gets in`()
    async throws
  {
    let site = try await Site()
    _ = try await site.register("ann")
    for address in 100..<110 {
      for _ in 0..<10 { #expect(try await site.logIn("ann", "wrong", from: UInt32(address)) == 401) }
    }
    for address in 110..<120 {
      for status in [401, 401, 429] as [UInt16] {
        #expect(try await site.logIn("ann", "wrong", from: UInt32(address)) == status)
      }
    }
    #expect(try await site.logIn("ann", from: 1) == 200)
    await site.fixture.remove()
  }

  @Test(arguments: ["api-key", "custom-token", "custom-function"])
  func `guesses of every kind are slowed`(provider: String) async throws {
    let rules = CustomTokenRules(
      keys: [.secret(Array("0123456789abcdef0123456789abcdef".utf8))], audiences: .any, fields: [])
    let site = try await Site(Providers(allowsKeys: true, customTokens: rules, customFunction: "none"))
    for index in 0..<60 {
      let json = #"{"key":"uk_\#(index)","token":"a.b.\#(index)"}"#
      #expect(try await site.post("\(provider)/login", json, from: 1).status == 401)
    }
    let answer = try await site.post("\(provider)/login", #"{"key":"x","token":"y"}"#, from: 1)
    #expect(answer.status == 429 && answer.fields["retry-after"] == "60")
    #expect(try await site.post("\(provider)/login", #"{"key":"x","token":"y"}"#, from: 2).status == 401)
    await site.fixture.remove()
  }

  @Test func `guesses at credentials of requests are slowed, and good keys stay good`() async throws {
    let site = try await Site(adminKey: Self.adminKey)
    let made = try await site.fixture.send(
      .post, "/v1/keys", ["authorization": "Bearer \(Self.adminKey)"], json: #"{"role":"read"}"#)
    guard case .string(let key)? = try made.document["key"] else { return #expect(Bool(false)) }
    #expect(try await site.read(Self.adminKey, from: 9).status == 200)
    let guesses = ["some other key of an operator", "gk_5f0000000000000000000001_00", "a.b.c"]
    for index in 0..<60 {
      let answer = try await site.read(guesses[index % 3], from: 1)
      #expect((answer.status, answer.code) == (401, "unauthorized"))
    }
    for guess in guesses {
      let answer = try await site.read(guess, from: 1)
      #expect((answer.status, answer.code) == (429, "too_many_attempts"))
      #expect(answer.fields["retry-after"] == "60")
    }
    // A key that was made cannot be guessed; the operator's own may be one that can.
    #expect(try await site.read(key, from: 1).status == 200)
    var options = GatewayOptions()
    options.access = site.fixture.gateway.context.access
    let other = try Gateway(store: site.fixture.store, options: options)
    #expect(try await site.read(Self.adminKey, from: 1).status == 200)
    #expect(try await status(other, Self.adminKey, from: 1) == 429)
    #expect(try await status(other, Self.adminKey, from: 2) == 200)
    #expect(try await site.read("gk_x", from: 2).status == 401)
    site.time.change { $0 += 60 }
    #expect(try await site.read(guesses[0], from: 1).status == 401)
    await site.fixture.remove()
  }

  @Test func `a key that is not known any more, or not yet, is no guess`() async throws {
    let site = try await Site(adminKey: Self.adminKey)
    let unknown = "gk_5f0000000000000000000001_" + String(repeating: "0", count: 64)
    for _ in 0..<100 { #expect(try await site.read(unknown, from: 1).status == 401) }
    #expect(try await site.read(Self.adminKey, from: 1).status == 200)
    await site.fixture.remove()
  }

  /// Another event loop, which has not seen the key.
  private func status(_ gateway: Gateway, _ key: String, from address: UInt32) async throws -> UInt16 {
    var request = Request(
      method: .get, target: Target(path: "/v1/collections", query: nil),
      fields: Fields([Fields.Line(name: "authorization", value: "Bearer \(key)")]), body: .empty)
    request.peer = .ipv4(address, port: 1)
    return await gateway.respond(to: request).status.rawValue
  }

  @Test func `a token that was good once is no guess`() async throws {
    let site = try await Site(adminKey: Self.adminKey)
    let login = try await site.post("anon-user/login", "{}", from: 1).document
    guard case .string(let token)? = login["access_token"] else { return #expect(Bool(false)) }
    site.time.change { $0 += 1_800 }
    for _ in 0..<70 {
      #expect(try await site.read(token, from: 1).status == 401)
    }
    let profile = try await site.fixture.send(
      .get, "/api/client/v2.0/auth/profile", ["authorization": "Bearer \(token)"])
    #expect(profile.text.contains("invalid session: access token expired"))
    await site.fixture.remove()
  }

  // New users

  @Test func `an address makes only so many users in an hour`() async throws {
    var limits = Users.Limits()
    limits.newPerAddress = 3
    let site = try await Site(limits: limits)
    #expect(try await site.post("anon-user/login", "{}", from: 1).status == 200)
    #expect(try await site.register("ann", from: 1).status == 201)
    // Who looks which addresses there are counts as well.
    #expect(try await site.register("ann", from: 1).status == 409)
    for answer in [
      try await site.register("bob", from: 1), try await site.post("anon-user/login", "{}", from: 1),
    ] {
      #expect(answer.status == 429 && answer.fields["retry-after"] == "3600")
      #expect(answer.text.contains(#""error":"too many users, try again later""#))
    }
    #expect(try await site.register("bob", from: 2).status == 201)
    #expect(try await site.logIn("ann", from: 1) == 200)
    site.time.change { $0 += 3_600 }
    #expect(try await site.post("anon-user/login", "{}", from: 1).status == 200)
    await site.fixture.remove()
  }

  @Test func `there are only so many anonymous users, until some go`() async throws {
    var limits = Users.Limits()
    limits.anonymous = 2
    let site = try await Site(limits: limits)
    _ = try await site.register("ann")
    let first = try await site.post("anon-user/login", "{}", from: 1).document
    #expect(try await site.post("anon-user/login", "{}", from: 2).status == 200)
    let full = try await site.post("anon-user/login", "{}", from: 3)
    #expect(full.status == 429 && full.fields["retry-after"] == "60")
    // The first one has an identity now.
    guard case .string(let access)? = first["access_token"] else { return #expect(Bool(false)) }
    let linked = try await site.fixture.send(
      .post, "\(Self.path)/local-userpass/login?link=true", ["authorization": "Bearer \(access)"],
      json: #"{"username":"ann@example.org","password":"secret1"}"#)
    #expect(linked.status == 200)
    site.time.change { $0 += 60 }
    #expect(try await site.post("anon-user/login", "{}", from: 3).status == 200)
    #expect(try await site.post("anon-user/login", "{}", from: 3).status == 429)
    await site.fixture.remove()
  }

  // Disclosure of addresses

  @Test func `no more is told of an address without an account than of one that has one`() async throws {
    let providers = Providers(passwords: .init(confirmation: .atOnce, resetFunction: "none"))
    let site = try await Site(providers)
    _ = try await site.register("Ann")
    for name in ["local-userpass/reset/call", "local-userpass/reset/send", "local-userpass/confirm/call"] {
      var told: [String] = []
      for email in ["ANN", "bob"] {
        let answer = try await site.post(
          name, #"{"email":"\#(email)@example.org","password":"secret2","arguments":[]}"#, from: 1)
        var document = try answer.document
        document.elements.removeAll { $0.key == "link" }
        let text = String(decoding: Value.document(document).plainJSON, as: UTF8.self)
        told.append("\(answer.status) \(text.replacing(email, with: "X"))")
      }
      #expect(told[0] == told[1] && told[0].hasPrefix("400"))
    }
    await site.fixture.remove()
  }

  @Test(arguments: [" a@example.org", "a@example.org ", #"a\u0000@example.org"#, #"a\u200b@example.org"#])
  func `an address that cannot be is refused`(email: String) async throws {
    let site = try await Site()
    let answer = try await site.post(
      "local-userpass/register", #"{"email":"\#(email)","password":"secret1"}"#, from: 1)
    #expect(answer.status == 400 && answer.text.contains("email invalid"))
    #expect(try site.fixture.store.makeReader().records("account").isEmpty)
    await site.fixture.remove()
  }
}
