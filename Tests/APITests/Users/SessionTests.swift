import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Sessions of users: when they end, and what is left of them.
@Suite struct SessionTests {
  private static let base = "/api/client/v2.0"
  private static let path = "/api/client/v2.0/app/any/auth/providers"
  private static let ann = #"{"username":"ann@example.org","password":"secret1"}"#

  private struct Site {
    let fixture: Fixture
    let users: Users
    let time = Mutexed<Int64>(1_700_000_000)

    init(limits: Users.Limits = Users.Limits()) async throws {
      let time = time
      fixture = try await Fixture(users: .open, userLimits: limits, clock: { Date(seconds: time.value) })
      users = try #require(fixture.gateway.context.users.users)
      _ = try await fixture.send(
        .post, "\(SessionTests.path)/local-userpass/register",
        json: #"{"email":"ann@example.org","password":"secret1"}"#)
    }

    func logIn(_ provider: String, _ json: String) async throws -> (user: ObjectID, refresh: [String: String])
    {
      let answer = try await fixture.send(.post, "\(SessionTests.path)/\(provider)/login", json: json)
      guard case .string(let user)? = try answer.document["user_id"], let user = ObjectID(user),
        case .string(let refresh)? = try answer.document["refresh_token"]
      else { throw Fixture.Unwatchable(answer: answer.text) }
      return (user, ["authorization": "Bearer \(refresh)"])
    }

    func refresh(_ fields: [String: String]) async throws -> UInt16 {
      try await fixture.send(.post, "\(SessionTests.base)/auth/session", fields).status
    }

    func keys(_ kind: String) throws -> [String] {
      try fixture.store.makeReader().records(kind).map(\.name.key)
    }

    func pass(days: Int64) { time.change { $0 += days * 86_400 } }
  }

  @Test func `a new password ends all sessions, however many there are`() async throws {
    let site = try await Site()
    let (user, refresh) = try await site.logIn("local-userpass", Self.ann)
    let (other, otherRefresh) = try await site.logIn("anon-user", "{}")
    let now = Date(seconds: site.time.value)
    let more = (0..<10_500).map { _ in Session(of: user, device: nil, at: now) }
    _ = try await site.fixture.store.keep(
      more.map { try RecordChange(UserRecords.session(user, $0.id), $0.record) })
    #expect(try site.keys("session").count == 10_502)
    let (token, id) = try await site.users.accounts.expect(.reset, of: "ann@example.org")
    let reset = try await site.fixture.send(
      .post, "\(Self.path)/local-userpass/reset",
      json: #"{"token":"\#(token)","tokenId":"\#(id)","password":"secret2"}"#)
    #expect(reset.status == 200)
    #expect(try site.keys("session").allSatisfy { $0.hasPrefix("\(other)/") })
    #expect(try await site.refresh(refresh) == 401)
    #expect(try await site.refresh(otherRefresh) == 201)
    await site.fixture.remove()
  }

  @Test func `a password that is replaced while it is being checked lets nobody in`() async throws {
    let site = try await Site()
    let gate = await HasherGate(site.users.hashes.hasher, workers: 2)
    let login = Task {
      try await site.fixture.send(.post, "\(Self.path)/local-userpass/login", json: Self.ann)
    }
    while site.users.hashes.hasher.waiting == 0 { await Task.yield() }
    let account = try await site.users.accounts.requireAccount(of: "ann@example.org")
    try await site.users.accounts.edit(account.id) {
      $0.password = PasswordHash(of: "secret2", cost: $0.password.cost ?? .standard)
    }
    gate.open()
    #expect(try await login.value.status == 401)
    #expect(try site.keys("session").isEmpty && site.keys("user").isEmpty)
    await site.fixture.remove()
  }

  @Test func `a user has only so many sessions, of which the oldest ends`() async throws {
    let site = try await Site()
    let (user, first) = try await site.logIn("local-userpass", Self.ann)
    let now = Date(seconds: site.time.value)
    let more = (0..<998).map { _ in Session(of: user, device: nil, at: now) }
    _ = try await site.fixture.store.keep(
      more.map { try RecordChange(UserRecords.session(user, $0.id), $0.record) })
    let (_, last) = try await site.logIn("local-userpass", Self.ann)
    #expect(try site.keys("session").count == 1_000)
    #expect(try await site.refresh(first) == 201)
    _ = try await site.logIn("local-userpass", Self.ann)
    #expect(try site.keys("session").count == 1_000)
    #expect(try await site.refresh(first) == 401)
    #expect(try await site.refresh(last) == 201)
    await site.fixture.remove()
  }

  @Test func `sessions whose tokens have ended are removed, and nothing else is`() async throws {
    var limits = Users.Limits()
    limits.anonymousDays = 0
    let site = try await Site(limits: limits)
    _ = try await site.logIn("local-userpass", Self.ann)
    _ = try await site.logIn("anon-user", "{}")
    site.pass(days: 59)
    let (user, late) = try await site.logIn("local-userpass", Self.ann)
    try await site.users.purge()
    #expect(try site.keys("session").count == 3)
    site.pass(days: 1)
    // The last access token of the first session is good for half an hour more.
    try await site.users.purge()
    #expect(try site.keys("session").count == 3)
    site.time.change { $0 += 1_800 }
    try await site.users.purge()
    #expect(try site.keys("session").map { $0.prefix(24) } == ["\(user)"])
    #expect(try await site.refresh(late) == 201)
    #expect(try site.keys("user").count == 2 && site.keys("account").count == 1)
    await site.fixture.remove()
  }

  @Test func `many sessions are removed in pieces`() async throws {
    let site = try await Site()
    let (user, _) = try await site.logIn("local-userpass", Self.ann)
    let dates = (0..<1_700).map { Date(seconds: site.time.value - ($0 % 2 == 0 ? 90 : 1) * 86_400) }
    _ = try await site.fixture.store.keep(
      dates.map { date in
        let session = Session(of: user, device: nil, at: date)
        return try RecordChange(UserRecords.session(user, session.id), session.record)
      })
    try await site.users.purge()
    #expect(try site.keys("session").count == 851)
    await site.fixture.remove()
  }

  @Test func `an anonymous user who is not there for long is deleted`() async throws {
    var limits = Users.Limits()
    limits.anonymousDays = 10
    let site = try await Site(limits: limits)
    let (ann, _) = try await site.logIn("local-userpass", Self.ann)
    let (visitor, refresh) = try await site.logIn("anon-user", "{}")
    let (idle, idleRefresh) = try await site.logIn("anon-user", "{}")
    let (gone, goneRefresh) = try await site.logIn("anon-user", "{}")
    let (keeper, keeperRefresh) = try await site.logIn("anon-user", "{}")
    _ = try await site.fixture.send(
      .post, "\(Self.base)/auth/api_keys", keeperRefresh, json: #"{"name":"k"}"#)
    _ = try await site.fixture.send(.delete, "\(Self.base)/auth/session", goneRefresh)
    try await site.users.purge()
    // Nobody can come back who has logged out without a name.
    #expect(Set(try site.keys("user")) == Set([ann, visitor, idle, keeper].map(\.description)))
    for _ in 0..<3 {
      site.pass(days: 4)
      #expect(try await site.refresh(refresh) == 201)
      try await site.users.purge()
    }
    // Who has a key can.
    #expect(Set(try site.keys("user")) == Set([ann, visitor, keeper].map(\.description)))
    #expect(try site.keys("identity").filter { $0.hasPrefix("anon-user/") }.count == 2)
    #expect(try await site.refresh(idleRefresh) == 401)
    #expect(gone != idle)
    await site.fixture.remove()
  }

  @Test func `a session of before, which does not say when it was used, goes on`() async throws {
    let site = try await Site()
    let (user, refresh) = try await site.logIn("local-userpass", Self.ann)
    let key = try #require(try site.keys("session").first)
    let name = Record.Name("session", key)
    var record = try Document(bson: try #require(try site.fixture.store.makeReader().record(name)))
    record.elements.removeAll { $0.key == "used" }
    _ = try await site.fixture.store.keep([try RecordChange(name, record)])
    site.pass(days: 2)
    #expect(try await site.refresh(refresh) == 201)
    let stored = try Document(bson: try #require(try site.fixture.store.makeReader().record(name)))
    #expect(stored["used"] == .date(Date(seconds: site.time.value)) && key.hasPrefix("\(user)"))
    await site.fixture.remove()
  }
}
