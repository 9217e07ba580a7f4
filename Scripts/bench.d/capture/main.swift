import GatehouseAPI
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseServer
import GatehouseStorage
import Glibc
import Synchronization

// Measures creations per second without a transaction log and with one that accepts at once, in turn.
//   capture-bench DIRECTORY SECONDS      a directory that is not there, with which it begins the names of others
// Or serves one of these stores to clients:
//   capture-bench DIRECTORY PORT alone|logged

/// Accepts everything and keeps nothing.
final class AcceptingLog: TransactionLog {
  let isDurable = false
  let bytes = Atomic(0)
  private let sequence = Atomic<UInt64>(0)

  func append(_ part: TransactionPart) -> ReplicationPoint {
    bytes.add(part.bytes.count, ordering: .relaxed)
    return ReplicationPoint(sequence: sequence.add(1, ordering: .relaxed).newValue)
  }

  func didNotCommit(_ point: ReplicationPoint) {}
}

final class Counts: Sendable {
  /// The primary key that was given last.
  let ids = Atomic<Int64>(0)
  let created = Atomic(0)
}

func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let schema = try Schema(
  notation: Value(
    json: Array(
      """
      [{"name":"City","primaryKey":"id","properties":{"id":"int","name":{"type":"string","indexed":true},"country":"string",
        "population":"int","latitude":"double","longitude":"double","names":"string[]"}}]
      """.utf8)))

func creation(_ id: Int64) -> GatehouseStorage.Operation {
  let values: [Mixed] = [
    .int(id), .string("City \(id)"), .string("DE"), .int(id * 7), .double(52.5), .double(13.4),
  ]
  let assignments = values.enumerated().map {
    ObjectDraft.Assignment(property: $0.offset, value: .value($0.element))
  }
  let names = ObjectDraft.Assignment(property: 6, value: .list([.value(.string("a")), .value(.string("b"))]))
  return .create(objectType: "City", draft: ObjectDraft(assignments: assignments + [names]), policy: .error)
}

/// Returns the creations per second of so many clients, each of which waits for its answer.
func measure(_ store: Store, clients: Int, seconds: Double, counts: Counts) async throws -> Double {
  let (start, before) = (now(), counts.created.load(ordering: .relaxed))
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<clients {
      group.addTask {
        while now() - start < seconds {
          let id = counts.ids.add(1, ordering: .relaxed).newValue
          _ = try await store.perform(Transaction([creation(id)]))
          counts.created.add(1, ordering: .relaxed)
        }
      }
    }
    try await group.waitForAll()
  }
  return Double(counts.created.load(ordering: .relaxed) - before) / (now() - start)
}

func open(_ directory: String, log: AcceptingLog?) async throws -> Store {
  var options = StoreOptions()
  options.logSize = 64 << 20
  options.log = log
  let store = try Store(directory: directory, options: options)
  if log != nil { try await store.lead() }
  _ = try await store.apply(schema, destructive: false)
  return store
}

/// Measures two stores in turn, and removes them.
func measure(in directory: String, seconds: Double) async throws {
  let (log, counts) = (AcceptingLog(), Counts())
  let stores = [
    ("alone", try await open("\(directory)-alone", log: nil)),
    ("logged", try await open("\(directory)-logged", log: log)),
  ]
  print("clients  alone/s  logged/s  difference %  bytes per creation")
  for clients in [1, 16, 64, 256] {
    var rates: [String: [Double]] = [:]
    var bytes = 0.0
    for _ in 0..<5 {
      for (name, store) in stores {
        let before = log.bytes.load(ordering: .relaxed)
        let rate = try await measure(store, clients: clients, seconds: seconds / 5, counts: counts)
        rates[name, default: []].append(rate)
        if name == "logged" {
          bytes = Double(log.bytes.load(ordering: .relaxed) - before) / (rate * seconds / 5)
        }
      }
    }
    // The best of five: what else the machine does only takes away.
    let (alone, logged) = (rates["alone"]?.max() ?? 0, rates["logged"]?.max() ?? 0)
    print(
      "\(clients)  \(Int(alone))  \(Int(logged))  \(((1 - logged / alone) * 1000).rounded() / 10)  \(Int(bytes))"
    )
  }
  for (name, store) in stores {
    await store.close()
    for file in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
      unlink("\(directory)-\(name)/\(file)")
    }
    rmdir("\(directory)-\(name)")
  }
}

func serve(_ directory: String, port: UInt16, isLogged: Bool) async throws {
  let store = try await open(directory, log: isLogged ? AcceptingLog() : nil)
  let options = GatewayOptions()
  options.policies.update { $0.hosts = HostPolicy(.loopback) }
  let configuration = Configuration(addresses: [.ipv4(0x7F00_0001, port: port)])
  let server = HTTPServer(configuration: configuration) { _ in
    try Gateway(store: store, options: options)
  }
  try server.start()
  while true { try await Task.sleep(for: .seconds(3600)) }
}

let arguments = CommandLine.arguments
if arguments.count == 4, let port = UInt16(arguments[2]) {
  try await serve(arguments[1], port: port, isLogged: arguments[3] == "logged")
} else {
  try await measure(in: arguments[1], seconds: Double(arguments[2]) ?? 3)
}
