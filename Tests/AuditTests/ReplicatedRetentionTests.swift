import GatehouseBSON
import GatehouseStorage
import GatehouseTestSupport
import Glibc
import Synchronization
import Testing

@testable import GatehouseAudit

/// Keeps what it is given.
private final class KeepingLog: TransactionLog {
  let isDurable = true
  let parts = Mutex<[TransactionPart]>([])

  func append(_ part: TransactionPart) -> ReplicationPoint {
    parts.withLock { parts in
      parts.append(part)
      return ReplicationPoint(sequence: UInt64(parts.count))
    }
  }

  func didNotCommit(_ point: ReplicationPoint) {}
}

/// A recorder on a store of its own.
private struct Node {
  let directory: String
  let store: Store
  let recorder: Recorder

  init(_ log: KeepingLog, copyOf source: String? = nil) throws {
    var template = Array("\(Machine.scratch)/gatehouse-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(Machine.scratch) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if let source {
      try StoreSnapshot(directory: source).copy(to: "\(directory)/gatehouse.db") { _, _ in }
    }
    var options = StoreOptions()
    options.log = log
    options.appendOnlyClasses = [StoredEvent.className]
    store = try Store(directory: directory, options: options)
    recorder = Recorder(store, clock: Ticking().next)
  }

  func remove() async {
    await store.close()
    for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
      unlink("\(directory)/\(name)")
    }
    rmdir(directory)
  }
}

/// A clock that ticks a second each time it is asked.
private final class Ticking: Sendable {
  private let seconds = Atomic<Int64>(0)

  @Sendable func next() -> Date { Date(seconds: seconds.add(1, ordering: .relaxed).newValue) }
}

@Test func `a store that follows writes the same archives before the events go`() async throws {
  let log = KeepingLog()
  let leader = try Node(log)
  try await leader.store.lead()
  let follower = try Node(log, copyOf: leader.directory)
  let (mine, theirs) = (Box(), Box())
  follower.store.handleNotices(ofKind: Recorder.retirement) { [store = follower.store] notice in
    try Recorder.archive(by: notice, of: store) { archive in theirs.archives.withLock { $0.append(archive) } }
  }
  for number in 0..<6 {
    try await leader.recorder.recordEvent(activity: "activity \(number)", eventType: nil, data: "d")
  }
  for second in [4, 6] as [Int64] {
    _ = try await leader.recorder.retire(before: Date(seconds: second)) { archive in
      mine.archives.withLock { $0.append(archive) }
    }
  }
  // The one that follows decides nothing by itself.
  #expect(try await follower.recorder.retire(before: Date(seconds: 100)) { _ in } == 0)
  for (number, part) in log.parts.withLock({ $0 }).enumerated() {
    try await follower.store.apply(part, at: ReplicationPoint(sequence: UInt64(number + 1)))
  }
  let archives = mine.archives.withLock { $0 }
  #expect(archives.count == 2)
  #expect(theirs.archives.withLock { $0 }.map(\.content) == archives.map(\.content))
  #expect(theirs.archives.withLock { $0 }.map(\.name) == archives.map(\.name))
  #expect(follower.store.version == leader.store.version)
  await leader.remove()
  await follower.remove()
}

/// The archives that were written.
private final class Box: Sendable {
  let archives = Mutex<[Archive]>([])
}
