import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Hashes of passwords: who waits for them, and for whom.
@Suite struct LoginQueueTests {
  private func wait(until hasher: PasswordHasher, has count: Int) async {
    while hasher.waiting != count { await Task.yield() }
  }

  @Test func `who waits for one hash does not wait for all of another client`() async throws {
    let hasher = PasswordHasher(workers: 1)
    let gate = await HasherGate(hasher, workers: 1)
    let order = Mutexed<[String]>([])
    let tasks = Mutexed<[Task<Void, any Error>]>([])
    for (index, client) in [1, 1, 1, 1, 2, 3, 3].enumerated() {
      tasks.change {
        $0.append(
          Task {
            try await hasher.compute(for: UInt64(client)) { order.change { $0.append("\(client)") } }
          })
      }
      await wait(until: hasher, has: index + 1)
    }
    gate.open()
    for task in tasks.value { try await task.value }
    #expect(order.value.joined() == "1231311")
  }

  @Test func `what waits is bounded, and who leaves does not wait`() async throws {
    let hasher = PasswordHasher(workers: 1)
    let gate = await HasherGate(hasher, workers: 1)
    var tasks: [Task<Int, any Error>] = []
    for index in 0..<16 {
      tasks.append(Task { try await hasher.compute(for: 1) { index } })
      await wait(until: hasher, has: index + 1)
    }
    await #expect(throws: UserError.tooManyWaiting(seconds: 2)) { try await hasher.compute(for: 1) { 16 } }
    tasks[3].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[3].value }
    #expect(hasher.waiting == 15)
    for client in 2...50 {
      tasks.append(Task { try await hasher.compute(for: UInt64(client)) { client } })
      await wait(until: hasher, has: 14 + client)
    }
    #expect(hasher.waiting == 64)
    // The first client, who has the most, makes room.
    tasks.append(Task { try await hasher.compute(for: 51) { 51 } })
    await #expect(throws: UserError.tooManyWaiting(seconds: 7)) { try await tasks[15].value }
    gate.open()
    var results: [Int] = []
    for (index, task) in tasks.enumerated() where index != 3 && index != 15 {
      results.append(try await task.value)
    }
    #expect(results == [0, 1, 2] + Array(4..<15) + Array(2...51))
  }

  @Test func `fifty wrong logins from one address keep nobody else out`() async throws {
    let fixture = try await Fixture(users: .open)
    let hasher = try #require(fixture.gateway.context.users.users?.hashes.hasher)
    let login = "/api/client/v2.0/app/any/auth/providers/local-userpass"
    let json = ["content-type": "application/json"]
    let (attacker, victim) = (PeerAddress.ipv4(1, port: 1), PeerAddress.ipv4(2, port: 1))
    let right = Array(#"{"username":"ann@example.org","password":"secret1"}"#.utf8)
    _ = try await fixture.send(
      .post, "\(login)/register", json, Array(#"{"email":"ann@example.org","password":"secret1"}"#.utf8),
      from: victim)
    let gate = await HasherGate(hasher, workers: 2)
    let wrong = (0..<50).map { index in
      Task {
        try await fixture.send(
          .post, "\(login)/login", json, Array(#"{"username":"\#(index)","password":"nothing"}"#.utf8),
          from: attacker)
      }
    }
    await wait(until: hasher, has: 16)
    let good = Task { try await fixture.send(.post, "\(login)/login", json, right, from: victim) }
    await wait(until: hasher, has: 17)
    gate.open()
    #expect(try await good.value.status == 200)
    var answers: [UInt16: Int] = [:]
    for task in wrong {
      let answer = try await task.value
      answers[answer.status, default: 0] += 1
      guard answer.status == 503 else { continue }
      #expect(Int(answer.fields["retry-after"] ?? "") ?? 0 > 0)
      #expect(answer.text.contains(#""error":"too many logins are being checked, try again later""#))
    }
    #expect(answers == [401: 16, 503: 34])
    await fixture.remove()
  }

  @Test(.enabled(if: Bcrypt.system != nil, "libcrypt.so.1 is not there"))
  func `a hash by bcrypt is made anew when its password is shown`() async throws {
    let fixture = try await Fixture(users: .open)
    let users = try #require(fixture.gateway.context.users.users)
    // Python's `crypt`.
    let hash = try #require(Bcrypt.Hash("$2b$06$abcdefghijklmnopqrstuuGstAwpoq6Y5k1eQW0T/jZsCx/GttTE2"))
    let account = PasswordAccount(email: "ann@example.org", password: PasswordHash(hash), isConfirmed: true)
    _ = try await fixture.store.keep([
      try RecordChange(UserRecords.email("ann@example.org"), ["id": .objectID(account.id)]),
      try RecordChange(UserRecords.account(account.id), account.record),
    ])
    let login = "/api/client/v2.0/app/any/auth/providers/local-userpass/login"
    for (password, status, iterations) in [("wrong", 401, nil), ("secret1", 200, 2), ("secret1", 200, 2)] {
      let answer = try await fixture.send(
        .post, login, json: #"{"username":"ann@example.org","password":"\#(password)"}"#)
      #expect(answer.status == status)
      let stored = try await users.accounts.requireAccount(of: "ann@example.org").password
      #expect(stored.cost?.iterations == iterations)
    }
    await fixture.remove()
  }

  @Test func `a hash of another cost is made anew when its password is shown`() async throws {
    let fixture = try await Fixture(users: .open)
    let users = try #require(fixture.gateway.context.users.users)
    let old = try ScryptCost(iterations: 4, blockSize: 1, parallelism: 1)
    let account = PasswordAccount(
      email: "ann@example.org", password: PasswordHash(of: "secret1", cost: old), isConfirmed: true)
    _ = try await fixture.store.keep([
      try RecordChange(UserRecords.email("ann@example.org"), ["id": .objectID(account.id)]),
      try RecordChange(UserRecords.account(account.id), account.record),
    ])
    let login = "/api/client/v2.0/app/any/auth/providers/local-userpass/login"
    for (password, status, cost) in [("wrong", 401, 4), ("secret1", 200, 2), ("secret1", 200, 2)] {
      let answer = try await fixture.send(
        .post, login, json: #"{"username":"ann@example.org","password":"\#(password)"}"#)
      #expect(answer.status == status)
      #expect(
        try await users.accounts.requireAccount(of: "ann@example.org").password.cost?.iterations == cost)
    }
    await fixture.remove()
  }
}
