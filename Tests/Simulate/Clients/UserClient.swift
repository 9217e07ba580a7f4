import CGatehouseSimulation
import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded

/// Somebody who registers, logs in and out, and is deleted, and is nobody else meanwhile.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class UserClient: @unchecked Sendable {
  /// Whether something is there, as far as answers have told.
  private enum Knowledge {
    case absent
    case present
    /// It was asked for, and nobody knows whether it is done, or will be.
    case mayCome
    case mayGo
  }

  /// A token, and the seconds at one of which it was made.
  private struct Token {
    let text: String
    let made: ClosedRange<Int64>
    let kind: UserToken.Kind

    /// Whether a node whose clock shows one of these seconds may refuse it: people set clocks ahead, and back by more than is tolerated.
    func mayBeRefused(at seconds: ClosedRange<Int64>) -> Bool {
      seconds.upperBound >= made.lowerBound + kind.lifetime || seconds.lowerBound + 300 < made.upperBound
    }
  }

  private struct UserSession {
    var access: Token
    let refresh: Token
    var state = Knowledge.present
  }

  private static let base = "/api/client/v2.0"
  private static let provider = "\(base)/app/any/auth/providers/local-userpass"

  private let world: World
  private var generator: SeededGenerator
  private var account = Knowledge.absent
  private var sessions: [UserSession] = []
  /// The seconds that the clocks of nodes may have shown while the last request was on its way.
  private var seconds: ClosedRange<Int64> = 0...0

  init(in world: World) {
    self.world = world
    generator = world.scenario.generator(62)
  }

  func run() async {
    for _ in 0..<max(6, world.scenario.requests / 2) {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<2: await register()
      case 2..<5: await logIn("secret1")
      case 5: await logIn("secret2")
      case 6, 7: await look()
      case 8: await refresh()
      case 9: await readObjects()
      case 10: await logOut()
      default: if Bool.random(using: &generator) { await delete() } else { await world.pause(1...50) }
      }
    }
  }

  private func send(
    _ method: GatehouseHTTP.Method, _ path: String, json: String? = nil, token: Token? = nil
  ) async -> Answer? {
    let start = (seconds: Int64(sim_now() / 1_000_000_000), steps: world.clockSteps.count - 1)
    let answer = await world.send(
      World.request(method, path, json: json, by: token?.text ?? ""), onLoop: 0, isStrict: true)
    let steps = world.clockSteps[start.steps...]
    seconds = start.seconds + (steps.min() ?? 0)...Int64(sim_now() / 1_000_000_000) + (steps.max() ?? 0)
    Simulation.note("user: \(method) \(path) \(answer.map { "\($0.status)" } ?? "-")")
    guard let answer, answer.status < 500, answer.status != 429 else { return nil }
    return answer
  }

  private func fail(_ text: String) { Simulation.fail("a user \(text)") }

  private func register() async {
    let before = account
    if before == .absent { account = .mayCome }
    guard
      let answer = await send(
        .post, "\(Self.provider)/register", json: #"{"email":"ann@example.org","password":"secret1"}"#)
    else { return }
    switch answer.status {
    case 201:
      if before == .present { fail("could register twice") }
      account = .present
    case 409:
      if before == .absent { fail("cannot register, though the address is free: \(answer.text)") }
      if before == .mayCome { account = .present }
    default: fail("cannot register: \(answer.status) \(answer.text)")
    }
  }

  private func logIn(_ password: String) async {
    let before = account
    world.logins.tried += 1
    guard
      let answer = await send(
        .post, "\(Self.provider)/login", json: #"{"username":"ann@example.org","password":"\#(password)"}"#)
    else { return }
    guard answer.status == 200 else {
      if password == "secret1", before == .present { fail("cannot log in: \(answer.status) \(answer.text)") }
      if password == "secret1", before == .mayGo { account = .absent }
      return
    }
    guard password == "secret1", before != .absent else {
      return fail("could log in, \(password), \(before)")
    }
    if before == .mayCome { account = .present }
    world.logins.answered += 1
    guard let value = try? answer.value, let access = value["access_token"]?.text,
      let refresh = value["refresh_token"]?.text
    else { return fail("was logged in by \(answer.text)") }
    sessions.append(
      UserSession(
        access: Token(text: access, made: seconds, kind: .access),
        refresh: Token(text: refresh, made: seconds, kind: .refresh)))
  }

  /// Draws one of the sessions.
  private var session: Int? { sessions.indices.randomElement(using: &generator) }

  /// Takes note of an answer to one who has shown a token of a session; false: it may be that the token is not good at that time.
  @discardableResult
  private func note(_ answer: Answer, to token: Token, of index: Int, before: Knowledge) -> Bool {
    if answer.status == 401, token.mayBeRefused(at: seconds) { return false }
    switch (before, answer.status) {
    case (.present, 401): fail("has lost a session: \(answer.text)")
    case (.absent, 200..<300): fail("has a session that had ended: \(answer.text)")
    case (.mayGo, 401): sessions[index].state = .absent
    default: break
    }
    return true
  }

  private func look() async {
    guard let index = session else { return }
    let (before, token) = (sessions[index].state, sessions[index].access)
    guard let answer = await send(.get, "\(Self.base)/auth/profile", token: token) else { return }
    note(answer, to: token, of: index, before: before)
  }

  private func refresh() async {
    guard let index = session else { return }
    let (before, token) = (sessions[index].state, sessions[index].refresh)
    guard let answer = await send(.post, "\(Self.base)/auth/session", token: token) else { return }
    note(answer, to: token, of: index, before: before)
    if answer.status == 201, let access = try? answer.value["access_token"]?.text {
      sessions[index].access = Token(text: access, made: seconds, kind: .access)
    }
  }

  private func readObjects() async {
    guard let index = session else { return }
    let (before, token) = (sessions[index].state, sessions[index].access)
    guard let answer = await send(.get, "/v1/collections/Item", token: token) else { return }
    note(answer, to: token, of: index, before: before)
    for mark in ["HIDDEN", "FOREIGN"] where answer.text.contains(mark) {
      fail("was shown \(mark): \(answer.text)")
    }
  }

  private func logOut() async {
    guard let index = session else { return }
    let (before, token) = (sessions[index].state, sessions[index].refresh)
    if before == .present { sessions[index].state = .mayGo }
    guard let answer = await send(.delete, "\(Self.base)/auth/session", token: token) else { return }
    guard note(answer, to: token, of: index, before: before) else {
      sessions[index].state = before
      return
    }
    if (200..<300).contains(answer.status) || answer.status == 401 { sessions[index].state = .absent }
  }

  private func delete() async {
    guard let index = session else { return }
    let (before, token) = (sessions, sessions[index].access)
    guard before[index].state == .present, account == .present else { return }
    account = .mayGo
    for place in sessions.indices where sessions[place].state == .present { sessions[place].state = .mayGo }
    guard let answer = await send(.delete, "\(Self.base)/auth/delete", token: token) else { return }
    if answer.status == 401, token.mayBeRefused(at: seconds) {
      (account, sessions) = (.present, before)
      return
    }
    guard answer.status == 204 else { return fail("cannot be deleted: \(answer.status) \(answer.text)") }
    account = .absent
    for place in sessions.indices { sessions[place].state = .absent }
  }
}
