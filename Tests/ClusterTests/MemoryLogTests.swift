import GatehouseScheduling
import Synchronization
import Testing

@testable import GatehouseCluster

struct MemoryLogTests {
  private let servers = MemoryServers()

  private func log(_ faults: MemoryLog.Failure...) -> MemoryLog {
    let faults = Mutex(faults)
    return MemoryLog(servers, node: "n1") { _ in
      faults.withLock { $0.isEmpty ? .none : $0.removeFirst() }
    }
  }

  private func append(
    _ byte: UInt8, _ expected: UInt64, _ identity: String, to log: MemoryLog
  ) -> AppendOutcome {
    log.append([byte], expecting: expected, identity: identity, limit: .zero)
  }

  @Test func `an append is taken behind the last entry only, and once`() throws {
    let log = log()
    #expect(append(1, 1, "a", to: log) == .refused(current: 0))
    #expect(append(1, 0, "a", to: log) == .appended(1))
    #expect(append(1, 0, "a", to: log) == .appended(1))
    #expect(append(2, 0, "b", to: log) == .refused(current: 1))
    #expect(append(2, 1, "b", to: log) == .appended(2))
    let page = try log.read(after: 0, patience: .zero)
    #expect(
      page
        == LogPage(
          [.init(position: 1, bytes: [1]), .init(position: 2, bytes: [2])], first: 1, last: 2))
    #expect(try log.read(after: 2, patience: .zero) == LogPage([], first: 1, last: 2))
  }

  @Test(
    arguments: [
      (MemoryLog.Failure.unavailable, AppendOutcome.unavailable, 1),
      (.inDoubt(.written), .inDoubt, 2),
      (.inDoubt(.lost), .inDoubt, 1), (.late(1), .refused(current: 0), 1),
      (.delayed(.zero), .appended(2), 2),
    ] as [(MemoryLog.Failure, AppendOutcome, UInt64)])
  func `an append has the fault that was asked for`(
    fault: MemoryLog.Failure, outcome: AppendOutcome, last: UInt64
  ) {
    let log = log(.none, fault)
    _ = append(1, 0, "a", to: log)
    #expect(append(2, 1, "b", to: log) == outcome)
    #expect(servers.stream.last == last)
  }

  @Test func `a late append comes behind the next call, if nobody was faster`() throws {
    let log = log(.inDoubt(.writtenLater), .none, .inDoubt(.writtenLater), .none)
    #expect(append(1, 0, "a", to: log) == .inDoubt)
    #expect(append(2, 0, "b", to: log) == .appended(1))
    #expect(append(3, 1, "c", to: log) == .inDoubt)
    #expect(servers.stream.entries.map(\.bytes) == [[2]])
    #expect(try log.read(after: 1, patience: .zero).items.map(\.bytes) == [[3]])
  }

  @Test func `a partition and the end of a connection keep everything away`() throws {
    let log = log()
    servers.setPartitioned("n1", true)
    #expect(append(1, 0, "a", to: log) == .unavailable)
    #expect(throws: LogError.unavailable) { try log.read(after: 0, patience: .zero) }
    #expect(throws: LogError.unavailable) { try log.health() }
    servers.setPartitioned("n1", false)
    #expect(append(1, 0, "a", to: log) == .appended(1))
    log.close()
    #expect(append(1, 1, "b", to: log) == .unavailable)
  }

  @Test func `a reader that waits is woken by an append`() throws {
    let log = log()
    let scheduler = DispatchScheduler()
    let done = scheduler.makeSignal()
    let page = Mutex<LogPage?>(nil)
    scheduler.makeLane("reader", priority: .utility).async {
      let found = try? log.read(after: 0, patience: .seconds(600))
      page.withLock { $0 = found }
      done.signal()
    }
    #expect(append(1, 0, "a", to: log) == .appended(1))
    done.wait()
    #expect(page.withLock(\.self)?.items.map(\.bytes) == [[1]])
  }

  @Test func `entries that were removed are told by the first that is there`() throws {
    let log = log()
    for index in 0..<5 { _ = append(UInt8(index), UInt64(index), "\(index)", to: log) }
    servers.change { $0.trim(through: 3) }
    let page = try log.read(after: 0, patience: .zero)
    #expect((page.first, page.last) == (4, 5))
    #expect(page.items.map(\.position) == [4, 5])
    servers.change { $0.trim(through: 9) }
    let rest = try log.read(after: 0, patience: .zero)
    #expect(rest == LogPage([], first: 6, last: 5))
    #expect(append(9, 5, "9", to: log) == .appended(6))
  }

  @Test func `a log that was removed begins anew`() throws {
    let log = log()
    for index in 0..<3 { _ = append(UInt8(index), UInt64(index), "\(index)", to: log) }
    try log.remove()
    #expect(try log.read(after: 0, patience: .zero) == LogPage([], first: 1, last: 0))
    #expect(append(7, 0, "0", to: log) == .appended(1))
    log.close()
    #expect(throws: LogError.unavailable) { try log.remove() }
  }

  @Test(arguments: [
    (LogDefect.replicas(1), true), (.syncInterval("2m"), true), (.syncUnknown, true),
    (.version(found: "2.10.0", needed: "2.15.1"), false), (.deletable, false), (.storage, false),
  ])
  func `programmers may do with one server, not with one that loses entries`(
    defect: LogDefect, isAllowed: Bool
  ) {
    let health = LogHealth(hasLeader: true, replicas: 1, currentReplicas: 1, defects: [defect])
    #expect(health.refusals(allowingSingleServer: false) == [defect])
    #expect(health.refusals(allowingSingleServer: true).isEmpty == isAllowed)
  }
}
