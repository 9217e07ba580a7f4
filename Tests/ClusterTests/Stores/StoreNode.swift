import GatehouseBSON
import GatehouseModel
import GatehouseScheduling
import GatehouseStorage
import GatehouseTestSupport
import Glibc
import Synchronization

@testable import GatehouseCluster

/// A store in a directory of its own, as a node on a log in memory.
final class StoreNode: Sendable {
  private struct Running {
    let store: Store
    let member: ClusterMember
    let part: StoreMember
  }

  let name: String
  let directory: String
  private let servers: MemoryServers
  private let fault: @Sendable (MemoryLog.Call) -> MemoryLog.Failure
  private let running: Mutex<Running>
  private let runs = Mutex(0)

  /// - Parameter fault: Called for each call of the log.
  init(
    _ name: String, on servers: MemoryServers,
    fault: @escaping @Sendable (MemoryLog.Call) -> MemoryLog.Failure = { _ in .none }
  ) throws {
    var template = Array("\(Machine.scratch)/gatehouse-node-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(Machine.scratch) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    (self.name, self.servers, self.fault) = (name, servers, fault)
    running = Mutex(try StoreNode.start(name, at: directory, on: servers, run: "r0", fault: fault))
  }

  deinit { _ = Machine.run("rm -rf '\(directory)'") }

  private static func start(
    _ name: String, at directory: String, on servers: MemoryServers, run: String,
    fault: @escaping @Sendable (MemoryLog.Call) -> MemoryLog.Failure
  ) throws -> Running {
    let part = StoreMember(scheduler: DispatchScheduler())
    var storeOptions = StoreOptions()
    storeOptions.log = part
    let store = try Store(directory: directory, options: storeOptions)
    // The name is a word.
    var options = MemberOptions(node: NodeName(name)!, run: run)
    options.times.lease = .milliseconds(100)
    options.times.renewal = .milliseconds(20)
    options.times.appendLimit = .milliseconds(60)
    options.times.retry = .milliseconds(5)
    return Running(
      store: store,
      member: part.start(store, log: MemoryLog(servers, node: name, fault: fault), options: options),
      part: part)
  }

  var store: Store { running.withLock(\.store) }
  var member: ClusterMember { running.withLock(\.member) }
  var part: StoreMember { running.withLock(\.part) }
  var database: String { "\(directory)/gatehouse.db" }
  /// Why it has stopped.
  var stopReason: StopReason? { member.status.stopReason }

  /// Ends it in the middle of whatever it does, and starts it again.
  func restart() async throws {
    await close()
    let run = runs.withLock { runs in
      runs += 1
      return "r\(runs)"
    }
    let next = try StoreNode.start(name, at: directory, on: servers, run: run, fault: fault)
    running.withLock { $0 = next }
  }

  func close() async {
    let (store, member) = (store, member)
    member.close()
    await store.close()
  }

  func operation(_ name: String, _ json: String) throws -> GatehouseStorage.Operation {
    guard let type = store.schema[name] else { throw StorageError.unknownClass(name) }
    let draft = try type.draft(from: Value(json: json), in: store.schema, mode: .create)
    return .create(objectType: name, draft: draft, policy: .error)
  }

  /// Returns the violations that a check of the file finds.
  func violations() throws -> [Violation] { try StoreSnapshot(directory: directory).check { _, _ in } }
}

/// Waits on a thread of its own until something is so.
func wait(until isSo: @escaping @Sendable () -> Bool) async throws {
  try await offPool {
    for _ in 0..<300_000 {
      if isSo() { return }
      usleep(1_000)
    }
    throw ServerFailure(text: "it never came to be", code: 0)
  }
}
