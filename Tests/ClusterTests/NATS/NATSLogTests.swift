import GatehouseScheduling
import GatehouseTestSupport
import Glibc
import Synchronization
import Testing

@testable import GatehouseCluster

/// The log on real servers; skipped where there is no `nats-server`.
@Suite(
  .enabled(if: NATSServers.program != nil, "nats-server is not there: Scripts/cluster install"),
  .serialized, .timeLimit(.minutes(ServerFaults.count > 20 ? 120 : 30)))
struct NATSLogTests {
  private func append(
    _ text: String, _ expected: UInt64, _ identity: String, to log: NATSLog,
    limit: Duration = .seconds(10)
  ) -> AppendOutcome {
    log.append(Array(text.utf8), expecting: expected, identity: identity, limit: limit)
  }

  /// Returns the entries behind a position, as many as there are.
  private func entries(of log: NATSLog, after position: UInt64, count: Int) throws -> [LogPage.Item] {
    var items: [LogPage.Item] = []
    while items.count < count {
      let page = try log.read(after: items.last?.position ?? position, patience: .seconds(10))
      items += page.items
      if page.items.isEmpty { break }
    }
    return items
  }

  @Test func `one server takes, refuses and tells entries`() async throws {
    try await offPool {
      let servers = try NATSServers(1)
      var options = try servers.options
      let log = NATSLog(options)
      let health = try servers.waitUntilReady(log)
      #expect(
        health
          == LogHealth(hasLeader: true, replicas: 1, currentReplicas: 1, defects: [.replicas(1)]))
      #expect(try log.read(after: 0, patience: .zero) == LogPage([], first: 1, last: 0))
      #expect(append("one", 0, "a.1", to: log) == .appended(1))
      #expect(append("two", 0, "a.2", to: log) == .refused(current: 1))
      #expect(append("two", 1, "a.2", to: log) == .appended(2))
      let large = String(repeating: "x", count: Entry.sizeLimit)
      #expect(append(large, 2, "a.3", to: log) == .appended(3))
      let items = try entries(of: log, after: 0, count: 3)
      #expect(items.map(\.position) == [1, 2, 3])
      #expect(items.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one", "two", large])
      #expect(try log.read(after: 3, patience: .zero) == LogPage([], first: 1, last: 3))
      #expect(try log.read(after: 1, patience: .zero).items.first?.position == 2)
      // A reader that waits has the next entry.
      let reader = NATSLog(options)
      #expect(try reader.read(after: 3, patience: .zero).items.isEmpty)
      #expect(append("four", 3, "a.4", to: log) == .appended(4))
      #expect(try reader.read(after: 3, patience: .seconds(60)).items.map(\.position) == [4])
      reader.close()
      #expect(throws: LogError.closed) { try reader.read(after: 4, patience: .zero) }
      // A log that was removed is made anew by who looks whether it is there.
      try log.remove()
      try log.remove()
      #expect(throws: LogError.unusable(.missing)) { try log.read(after: 0, patience: .zero) }
      #expect(try log.health().defects == [.replicas(1)])
      #expect(try log.read(after: 0, patience: .zero) == LogPage([], first: 1, last: 0))
      #expect(append("one", 0, "b.1", to: log) == .appended(1))
      log.close()
      options.monitoring = []
      let blind = NATSLog(options)
      #expect(try blind.health().defects == [.replicas(1), .syncUnknown])
      blind.close()
    }
  }

  @Test func `a server that syncs late is told by its settings`() async throws {
    try await offPool {
      let servers = try NATSServers(1, sync: "\"30s\"")
      let log = NATSLog(try servers.options)
      #expect(
        try servers.waitUntilReady(log).defects == [.replicas(1), .syncInterval("30.0 seconds")])
      log.close()
    }
  }

  @Test func `three servers lose nothing and write nothing twice, whatever happens to them`()
    async throws
  {
    try await offPool {
      let servers = try NATSServers(3)
      let log = try servers.makeLog()
      let health = try servers.waitUntilReady(log)
      #expect(health == LogHealth(hasLeader: true, replicas: 3, currentReplicas: 3, defects: []))
      let writers = try AppendingWriters(3, on: servers)
      var faults = ServerFaults(seed: 27)
      for _ in 0..<ServerFaults.count { _ = try faults.next(servers, writers, log) }
      writers.stop()
      #expect(try writers.check(log) > 60 * ServerFaults.count)
      log.close()
    }
  }

  @Test func `TLS, tokens, passwords and keys are what a server lets in`() async throws {
    try await offPool {
      let folder = "\(Machine.root)/Tests/ServerTests/tls/"
      let tls = "tls { cert_file: \"\(folder)first.pem\", key_file: \"\(folder)first.key\" }"
      let key = try #require(
        NKey(seed: "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"))
      for (settings, credentials) in [
        ("authorization { token: \"s3cret\" }", NATSCredentials.token("s3cret")),
        ("authorization { user: u, password: \"p\" }", .password(user: "u", password: "p")),
        ("authorization { users: [{ nkey: \(key.publicKey) }] }", .key(key)),
      ] {
        let servers = try NATSServers(1, settings: "\(settings)\n\(tls)")
        var options = try servers.options
        options.authorities = "\(folder)first.pem"
        options.credentials = credentials
        let log = NATSLog(options)
        #expect(try servers.waitUntilReady(log).defects == [.replicas(1)])
        #expect(append("one", 0, "a.1", to: log) == .appended(1))
        #expect(try log.read(after: 0, patience: .seconds(10)).items.count == 1)
        log.close()
        options.credentials = .token("wrong")
        let stranger = NATSLog(options)
        #expect(throws: LogError.unauthorized) { try stranger.health() }
        #expect(append("two", 1, "b.1", to: stranger, limit: .milliseconds(50)) == .unavailable)
        stranger.close()
        // A certificate of somebody else.
        options.credentials = credentials
        options.authorities = "\(folder)second.pem"
        let careful = NATSLog(options)
        #expect(throws: LogError.unauthorized) { try careful.health() }
        careful.close()
      }
    }
  }
}
