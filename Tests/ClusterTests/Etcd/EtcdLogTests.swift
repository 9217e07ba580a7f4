import GatehouseBSON
import GatehouseTestSupport
import Testing

@testable import GatehouseCluster

struct EtcdValueTests {
  @Test func `entries are in the order of their positions, and have their identities with them`()
    throws
  {
    let keys = EtcdKeys(try #require(LogName("l")))
    let positions: [UInt64] = [1, 9, 10, 255, 256, 1 << 40, .max]
    let texts = positions.compactMap { EtcdKeys.decode(keys.entry($0)) }
    #expect(texts.map { String(decoding: $0, as: UTF8.self) }.isSorted)
    #expect(positions.map { keys.position(of: keys.entry($0)) } == positions)
    #expect(keys.position(of: keys.last) == nil)
    #expect(keys.position(of: .string("?")) == nil)
    let pair: Value = [
      "key": keys.entry(7), "value": EtcdEntry.value([1, 10, 2], identity: "a.1"),
    ]
    let entry = try #require(EtcdEntry(pair, keys))
    #expect((entry.position, entry.identity, entry.bytes) == (7, "a.1", [1, 10, 2]))
    #expect(EtcdEntry(["key": keys.entry(7), "value": EtcdKeys.bytes([1])], keys) == nil)
    #expect(EtcdEntry(["key": keys.last, "value": EtcdKeys.bytes([10])], keys) == nil)
  }

  @Test(arguments: [
    ("18446744073709551615", "9"), ("7", "9223372036854775807"), ("7", "x"),
  ])
  func `no server says of a position or a revision that none can follow it`(last: String, revision: String)
    throws
  {
    let address = try #require(ServerAddress(hostAndPort: "127.0.0.1:1"))
    let log = EtcdLog(EtcdOptions(addresses: [address], name: try #require(LogName("l"))))
    func answer(_ last: String, _ revision: String) -> Document {
      let range: Value = ["response_range": ["kvs": .array([["value": EtcdKeys.bytes(Array(last.utf8))]])]]
      let empty: Value = ["response_range": .document(Document())]
      return [
        "header": ["revision": .string(revision)], "responses": .array([range, empty, empty]),
      ]
    }
    #expect(throws: LogError.malformedAnswer) { try log.page(of: answer(last, revision)) }
    let (page, found) = try log.page(of: answer("7", "9"))
    #expect((page, found) == (LogPage([], first: 8, last: 7), 9))
  }

  @Test(
    arguments: [
      ("3.4.23", nil), ("3.5.3", nil), ("3.6.0", nil), ("3.5.0", "3.5.3"), ("3.5.2", "3.5.3"),
      ("3.3.27", "3.4.0"), ("x", "3.4.0"),
    ] as [(String, String?)])
  func `releases that damage data will not do`(version: String, needed: String?) {
    #expect(EtcdLog.defect(version) == needed.map { .version(found: version, needed: $0) })
  }
}

extension [String] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}

/// The log on real servers; skipped where there is no `etcd`.
@Suite(
  .enabled(if: EtcdServers.program != nil, "etcd is not there: Scripts/cluster install"),
  .serialized,
  .timeLimit(.minutes(ServerFaults.count > 20 ? 120 : 30)))
struct EtcdLogTests {
  private func append(
    _ text: String, _ expected: UInt64, _ identity: String, to log: any ReplicatedLog
  ) -> AppendOutcome {
    log.append(Array(text.utf8), expecting: expected, identity: identity, limit: .seconds(10))
  }

  @Test func `one server takes, refuses and tells entries`() async throws {
    try await offPool {
      let servers = try EtcdServers(1)
      let log = try servers.makeLog()
      #expect(
        try servers.waitUntilReady(log)
          == LogHealth(hasLeader: true, replicas: 1, currentReplicas: 1, defects: [.replicas(1)]))
      #expect(try log.read(after: 0, patience: .zero) == LogPage([], first: 1, last: 0))
      #expect(append("one", 0, "a.1", to: log) == .appended(1))
      #expect(append("two", 0, "a.2", to: log) == .refused(current: 1))
      #expect(append("one", 0, "a.1", to: log) == .appended(1))
      let large = String(repeating: "x", count: Entry.sizeLimit)
      for position in UInt64(1)..<20 {
        #expect(append(large, position, "b.\(position)", to: log) == .appended(position + 1))
      }
      var (count, position): (Int, UInt64) = (0, 0)
      while position < 20 {
        let page = try log.read(after: position, patience: .zero)
        #expect((page.first, page.last) == (1, 20))
        #expect(
          page.items.map(\.position) == (0..<UInt64(page.items.count)).map { position + 1 + $0 })
        count += page.items.count
        position = try #require(page.items.last?.position)
      }
      #expect(count == 20)
      // A reader that waits has the next entry.
      let reader = try servers.makeLog()
      let writer = AppendingWriter(number: 1, log)
      writer.start()
      #expect(try reader.read(after: 20, patience: .seconds(60)).items.first?.position == 21)
      writer.stop()
      reader.close()
      #expect(throws: LogError.closed) { try reader.read(after: 20, patience: .zero) }
      // A log that was removed begins anew, and another one stays.
      var options = try servers.options
      options.name = try #require(LogName("test-2"))
      let other = EtcdLog(options)
      #expect(append("one", 0, "a.1", to: other) == .appended(1))
      try log.remove()
      #expect(try log.read(after: 0, patience: .zero) == LogPage([], first: 1, last: 0))
      #expect(append("two", 0, "a.2", to: log) == .appended(1))
      #expect(try other.read(after: 0, patience: .zero).items.map(\.bytes) == [Array("one".utf8)])
      other.close()
      log.close()
    }
  }

  @Test func `three servers lose nothing and write nothing twice, whatever happens to them`()
    async throws
  {
    try await offPool {
      let servers = try EtcdServers(3)
      let log = try servers.makeLog()
      let health = try servers.waitUntilReady(log)
      #expect(health == LogHealth(hasLeader: true, replicas: 3, currentReplicas: 3, defects: []))
      let writers = try AppendingWriters(3, on: servers)
      var faults = ServerFaults(seed: 28)
      for _ in 0..<ServerFaults.count { _ = try faults.next(servers, writers, log) }
      writers.stop()
      #expect(try writers.check(log) > 60 * ServerFaults.count)
      log.close()
    }
  }
}
