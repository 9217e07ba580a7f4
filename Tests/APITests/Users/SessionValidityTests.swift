import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import Synchronization
import Testing

@testable import GatehouseAPI
@testable import GatehouseFunctions

/// Streams and long answers end with what lets their caller have them.
@Suite struct SessionValidityTests {
  private static let base = "/api/client/v2.0"
  private static let app = "/api/client/v2.0/app/any-abcde"
  private static let passwords = "\(app)/auth/providers/local-userpass"
  private static let roles = """
    {"user":{"classes":{"Note":{"read":"owner == %%user.id","write":true}}},\
    "member":{"classes":{"Note":{"read":"n == 1"}}}}
    """

  /// A server whose users see notes of their own; the time is what a test makes it.
  private struct Site {
    let fixture: Fixture
    let administrator: [String: String]
    private let time: Mutexed<Int64>

    init() async throws {
      let time = Mutexed<Int64>(1_700_000_000)
      self.time = time
      fixture = try await Fixture(
        Intruder.schema, limits: RequestLimits(largestPageSize: 1), users: .open,
        clock: { Date(seconds: time.value) })
      let key = try await fixture.send(.post, "/v1/keys", json: #"{"role":"admin"}"#)
      administrator = ["authorization": "Bearer \(try Site.text("key", key))"]
      let roles = try await fixture.send(.put, "/v1/roles", administrator, json: SessionValidityTests.roles)
      try #require(roles.status == 200, "\(roles.text)")
    }

    static func text(_ name: String, _ answer: Answer) throws -> String {
      guard case .string(let text)? = try answer.document[name] else {
        throw Fixture.Unwatchable(answer: answer.text)
      }
      return text
    }

    func makeKey(_ role: String) async throws -> (id: String, fields: [String: String]) {
      let made = try await fixture.send(.post, "/v1/keys", administrator, json: #"{"role":"\#(role)"}"#)
      return (
        try Site.text("id", made), ["authorization": "Bearer \(try Site.text("key", made))"]
      )
    }

    func register(_ name: String) async throws -> Login {
      _ = try await fixture.send(
        .post, "\(SessionValidityTests.passwords)/register",
        json: #"{"email":"\#(name)@example.org","password":"secret1"}"#)
      return try await logIn(
        "local-userpass", #"{"username":"\#(name)@example.org","password":"secret1"}"#)
    }

    func logIn(_ provider: String, _ json: String) async throws -> Login {
      try Login(
        await fixture.send(.post, "\(SessionValidityTests.app)/auth/providers/\(provider)/login", json: json))
    }

    /// A stream of notes that has begun.
    func watch(_ fields: [String: String]) async throws -> Watcher {
      let watcher = try await fixture.watch("/v1/collections/Note", fields)
      _ = await watcher.events(through: "ready")
      return watcher
    }

    /// Both clocks go on, and the loop looks at them.
    func pass(seconds: Int64) async {
      time.change { $0 += seconds }
      fixture.loop.advance(seconds: UInt64(seconds))
      await fixture.loop.run { [fixture] in fixture.gateway.tick() }
    }
  }

  private struct Login {
    let access: [String: String]
    let refresh: [String: String]
    let user: String

    init(_ answer: Answer) throws {
      access = ["authorization": "Bearer \(try Site.text("access_token", answer))"]
      refresh = ["authorization": "Bearer \(try Site.text("refresh_token", answer))"]
      user = try Site.text("user_id", answer)
    }
  }

  /// The ways in which a user's session ends, and the reason that streams give.
  enum Ending: CaseIterable {
    case logout, reset, disabling, deletion, expiry, keyDeletion, keyDisabling, roles, grant, data

    var reason: String {
      switch self {
      case .logout, .reset, .keyDeletion, .keyDisabling: "session_ended"
      case .disabling: "user_disabled"
      case .deletion: "user_deleted"
      case .expiry: "token_expired"
      case .roles, .grant, .data: "access_changed"
      }
    }

    /// Whether it concerns everybody.
    var isForAll: Bool { self == .roles || self == .expiry }
  }

  private func end(_ login: Login, by ending: Ending, _ key: String, _ first: Login, _ site: Site)
    async throws
  {
    let fixture = site.fixture
    let answer: Answer
    switch ending {
    case .logout: answer = try await fixture.send(.delete, "\(Self.base)/auth/session", login.refresh)
    case .reset:
      let users = try #require(fixture.gateway.context.users.users)
      let (token, id) = try await users.accounts.expect(.reset, of: "ann@example.org")
      answer = try await fixture.send(
        .post, "\(Self.passwords)/reset",
        json: #"{"token":"\#(token)","tokenId":"\#(id)","password":"secret2"}"#)
    case .disabling:
      answer = try await fixture.send(.put, "/v1/users/\(login.user)/disable", site.administrator)
    case .deletion: answer = try await fixture.send(.delete, "\(Self.base)/auth/delete", login.access)
    case .expiry:
      await site.pass(seconds: 1_800)
      return
    case .keyDeletion:
      answer = try await fixture.send(.delete, "\(Self.base)/auth/api_keys/\(key)", first.refresh)
    case .keyDisabling:
      answer = try await fixture.send(.put, "\(Self.base)/auth/api_keys/\(key)/disable", first.refresh)
    case .roles:
      answer = try await fixture.send(
        .put, "/v1/roles", site.administrator, json: #"{"user":{"classes":{"Note":{"read":"n == 1"}}}}"#)
    case .grant:
      answer = try await fixture.send(
        .put, "/v1/users/\(login.user)/roles", site.administrator, json: #"["member"]"#)
    case .data:
      answer = try await fixture.send(
        .post, "\(Self.app)/auth/providers/anon-user/login?link=true", login.access, json: "{}")
    }
    #expect([200, 204].contains(answer.status), "\(ending): \(answer.text)")
  }

  @Test(arguments: Ending.allCases)
  func `a stream ends at once with what lets its caller have it`(ending: Ending) async throws {
    let site = try await Site()
    let fixture = site.fixture
    // Ann's stream is of a session that began with a key of hers; Bob is somebody else.
    let (first, bob) = (try await site.register("ann"), try await site.register("bob"))
    let made = try await fixture.send(
      .post, "\(Self.base)/auth/api_keys", first.refresh, json: #"{"name":"k"}"#)
    let login = try await site.logIn("api-key", #"{"key":"\#(try Site.text("key", made))"}"#)
    let (ended, other) = (try await site.watch(login.access), try await site.watch(bob.access))
    try await end(login, by: ending, try Site.text("_id", made), first, site)
    await fixture.loop.run {}
    #expect(ended.end == .finished)
    #expect(
      StreamEvent.all(in: ended.text).last?.description == #"end {"reason":"\#(ending.reason)"}"#)
    #expect((other.end == .finished) == ending.isForAll)
    // Nothing is told any more, and the place of the stream is free.
    let note = #"{"id":9,"owner":"\#(bob.user)"}"#
    if !ending.isForAll {
      _ = try await fixture.send(.post, "/v1/collections/Note", site.administrator, json: note)
      #expect(await other.events(3).last?.name == "insert")
    }
    #expect(StreamEvent.all(in: ended.text).count == 3)
    await fixture.remove()
  }

  @Test func `a stream that is granted before its session ends, and begins after it, ends`() async throws {
    let site = try await Site()
    let login = try await site.register("ann")
    let source = try await site.fixture.stream("/v1/collections/Note", login.access)
    _ = try await site.fixture.send(.delete, "\(Self.base)/auth/session", login.refresh)
    let watcher = Watcher(source, on: site.fixture.loop)
    await watcher.waitForEnd()
    #expect(watcher.text == "retry: 2000\n\nevent: end\ndata: {\"reason\":\"session_ended\"}\n\n")
    await site.fixture.remove()
  }

  @Test func `what waits for a slow client when its session ends is not sent`() async throws {
    let site = try await Site()
    let login = try await site.register("ann")
    let watcher = try await site.watch(login.access)
    await watcher.setBusy(true)
    let note = #"{"id":9,"owner":"\#(login.user)"}"#
    _ = try await site.fixture.send(.post, "/v1/collections/Note", site.administrator, json: note)
    await site.fixture.settle()
    _ = try await site.fixture.send(.delete, "\(Self.base)/auth/session", login.refresh)
    await watcher.waitForEnd()
    #expect(
      StreamEvent.all(in: watcher.text).map(\.name) == [nil, "ready", "end"] && watcher.end == .finished)
    await site.fixture.remove()
  }

  @Test func `a stream ends with its key, and goes on when another one is made or goes`() async throws {
    let site = try await Site()
    let (revoked, kept) = (try await site.makeKey("read"), try await site.makeKey("read"))
    let member = try await site.makeKey("member")
    let streams = [
      try await site.watch(revoked.fields), try await site.watch(kept.fields),
      try await site.watch(member.fields),
    ]
    _ = try await site.makeKey("write")
    await site.fixture.loop.run {}
    #expect(streams.map(\.end) == [nil, nil, nil])
    _ = try await site.fixture.send(.delete, "/v1/keys/\(revoked.id)", site.administrator)
    await site.fixture.loop.run {}
    #expect(streams.map(\.end) == [.finished, nil, nil])
    #expect(streams[0].text.hasSuffix("event: end\ndata: {\"reason\":\"key_revoked\"}\n\n"))
    // Roles that there always are do not change.
    _ = try await site.fixture.send(.put, "/v1/roles", site.administrator, json: "{}")
    await site.fixture.loop.run {}
    #expect(streams.map(\.end) == [.finished, nil, .finished])
    #expect(streams[2].text.hasSuffix("event: end\ndata: {\"reason\":\"access_changed\"}\n\n"))
    await streams[1].leave()
    await site.fixture.remove()
  }

  @Test func `with the first key, streams of callers without one end`() async throws {
    let fixture = try await Fixture()
    let watcher = try await fixture.watch("/v1/collections/Note")
    _ = await watcher.events(through: "ready")
    _ = try await fixture.send(.post, "/v1/keys", json: #"{"role":"admin"}"#)
    await watcher.waitForEnd()
    #expect(watcher.text.hasSuffix("event: end\ndata: {\"reason\":\"access_changed\"}\n\n"))
    await fixture.remove()
  }

  @Test(arguments: ["application/json", "application/x-ndjson"])
  func `what arrives while its sender is shut out is not written`(type: String) async throws {
    let site = try await Site()
    let key = try await site.makeKey("write")
    let gateway = site.fixture.gateway
    let body = SlowBody([#"{"id":1,"owner":"a""#, "}"]) {
      let id = try #require(ObjectID(key.id))
      _ = try await gateway.context.access.revokeKey(id)
      site.fixture.loop.advance(seconds: 2)
    }
    let fields = key.fields.merging(["content-type": type]) { $1 }
    let request = Request(
      method: .post, target: Target(path: "/v1/collections/Note", query: nil),
      fields: Fields(fields.map { Fields.Line(name: $0.key, value: $0.value) }), body: .stream(body))
    let answer = try await Answer(gateway.respond(to: request))
    #expect((answer.status, answer.code) == (401, "unauthorized"))
    #expect(try await site.fixture.send(.get, "/v1/collections/Note", site.administrator).text == "[]")
    await site.fixture.remove()
  }

  @Test func `a function asks nothing for a caller who is none any more`() async throws {
    let site = try await Site()
    let login = try await site.register("ann")
    let gateway = site.fixture.gateway
    let request = Request(method: .get, target: Target(path: "/v1/collections/Note", query: nil))
    var signed = request
    signed.fields = Fields(login.access.map { Fields.Line(name: $0.key, value: $0.value) })
    let principal = try gateway.callers.principal(of: signed, for: .findObjects, gateway.context.data.reader)
    let ask = gateway.context.functions.respondent(for: request, by: principal)
    let question = Question.data(DataQuestion(method: "GET", target: "/v1/collections/Note"))
    #expect(await ask(question).document["status"] == .int32(200))
    _ = try await site.fixture.send(.delete, "\(Self.base)/auth/session", login.refresh)
    #expect(
      await ask(question).document["failure"]
        == .document(["message": .string("The caller of the function is none any more.")]))
    await site.fixture.remove()
  }

  @Test(arguments: ["/v1/collections/Note", "/v1/changes?since=0"])
  func `a long answer breaks off when its caller is none any more`(target: String) async throws {
    let site = try await Site()
    let key = try await site.makeKey("read")
    let notes = #"[{"id":1,"owner":"a"},{"id":2,"owner":"b"},{"id":3,"owner":"c"}]"#
    _ = try await site.fixture.send(.post, "/v1/collections/Note", site.administrator, json: notes)
    let fields = key.fields.merging(["accept": "application/x-ndjson"]) { $1 }
    let whole = try await site.fixture.send(.get, target, fields)
    #expect(whole.text.split(separator: "\n").count >= 3)
    let response = await site.fixture.respond(.get, target, fields, nil)
    guard case .stream(let write) = response.body else {
      Issue.record("\(response)")
      return
    }
    _ = try await site.fixture.send(.delete, "/v1/keys/\(key.id)", site.administrator)
    let reader = LineReader()
    await #expect(throws: APIError.unauthorized(.unknown)) { try await write(reader) }
    #expect(await reader.text.split(separator: "\n").count == 1)
    await site.fixture.remove()
  }
}

/// Takes what is streamed.
private actor LineReader: BodyWriter {
  private(set) var text = ""

  func write(_ bytes: [UInt8]) { text += String(decoding: bytes, as: UTF8.self) }
}

/// A content that comes in pieces; something happens before the last of them.
private actor SlowBody: BodyReader {
  private var pieces: [String]
  private let event: @Sendable () async throws -> Void

  init(_ pieces: [String], _ event: @escaping @Sendable () async throws -> Void) {
    (self.pieces, self.event) = (pieces, event)
  }

  func read() async throws -> [UInt8]? {
    if pieces.count == 1 { try await event() }
    return pieces.isEmpty ? nil : Array(pieces.removeFirst().utf8)
  }
}

/// A value that several threads may change.
final class Mutexed<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value { content.withLock { $0 } }
  func change(_ body: (inout Value) -> Void) { content.withLock { body(&$0) } }
}
