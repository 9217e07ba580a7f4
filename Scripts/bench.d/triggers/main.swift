import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTriggers
import Glibc
import Synchronization

// Measures a database trigger that calls a function in Swift, in one process: how fast it catches up with changes that are there,
// and how far it is behind writers who go on.
//   triggers-bench DIRECTORY [CHANGES] [SECONDS]      a directory that is not there; 100,000 changes and 10 seconds unless given

func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The calls, and of each the time since its object was written.
final class Calls: Sendable {
  let count = Atomic(0)
  private let delays = Mutex<[UInt64]>([])

  func note(_ invocation: Invocation) {
    count.add(1, ordering: .relaxed)
    guard case .document(let event)? = invocation.arguments.first,
      case .document(let object)? = event["fullDocument"], case .int64(let written)? = object["written"]
    else { return }
    delays.withLock { $0.append(now() - UInt64(written)) }
  }

  /// Returns the delays so far, sorted, and forgets them.
  func takeDelays() -> [UInt64] {
    delays.withLock { delays in
      defer { delays = [] }
      return delays.sorted()
    }
  }
}

/// Keys for objects, taken by several writers.
final class Keys: Sendable {
  private let next: Atomic<Int>
  init(from first: Int) { next = Atomic(first) }
  func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
}

func print(_ name: String, _ rate: Double, _ delays: [UInt64]) {
  func milliseconds(_ part: Double) -> Double {
    (Double(delays[min(delays.count - 1, Int(Double(delays.count) * part))]) / 1e4).rounded() / 100
  }
  let behind =
    delays.isEmpty
    ? "" : ", behind p50 \(milliseconds(0.5)) ms, p99 \(milliseconds(0.99)) ms, most \(milliseconds(1)) ms"
  Swift.print("\(name): \(Int(rate)) calls/s\(behind)")
}

func creation(_ number: Int, of type: ObjectType, in schema: Schema) throws -> GatehouseStorage.Operation {
  let value = Value.document(["_id": .int64(Int64(number)), "written": .int64(Int64(now()))])
  return .create(
    objectType: type.name, draft: try type.draft(from: value, in: schema, mode: .create), policy: .error)
}

/// Catches up with `changes` changes, then runs beside writers for so many seconds; once in order and once without.
@concurrent func measure(_ directory: String, changes: Int, seconds: Int) async throws {
  let store = try Store(directory: directory)
  let schema = try Schema(
    notation: try Value(
      json: #"[{"name":"Event","primaryKey":"_id","properties":{"_id":"int","written":"int"}}]"#))
  _ = try await store.apply(schema, destructive: false)
  guard let type = store.schema["Event"] else { fatalError("no class") }

  let calls = Calls()
  let host = FunctionHost()
  host.register("note") { invocation in
    calls.note(invocation)
    return .null
  }
  let runner = TriggerRunner(
    store, metrics: Registry(),
    TriggerActions { (invocation) async throws(FunctionError) in
      try await host.call(invocation, from: .function) { _ in .failure("nothing is asked") }
    })
  for isUnordered in [false, true] {
    var watched = WatchedChanges(of: "Event")
    watched.isUnordered = isUnordered
    let trigger = Trigger(isUnordered ? "unordered" : "ordered", on: .changes(watched), calls: "note")
    try await runner.use([trigger])
    var disabled = trigger
    disabled.isDisabled = true

    // Changes that wait for it.
    try await runner.use([disabled])
    var number = isUnordered ? 1 << 40 : 0
    while number % (1 << 40) < changes {
      let operations = try (0..<1_000).map { try creation(number + $0, of: type, in: schema) }
      _ = try await store.perform(Transaction(operations))
      number += 1_000
    }
    _ = calls.takeDelays()
    let (start, before) = (now(), calls.count.load(ordering: .relaxed))
    try await runner.use([trigger])
    while calls.count.load(ordering: .relaxed) < before + changes { usleep(1_000) }
    print("\(trigger.name), \(changes) changes that wait", Double(changes) * 1e9 / Double(now() - start), [])
    _ = calls.takeDelays()

    // Writers beside it, each waiting for its commit.
    let (begin, first) = (now(), calls.count.load(ordering: .relaxed))
    let keys = Keys(from: number)
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 {
        group.addTask {
          while now() - begin < UInt64(seconds) * 1_000_000_000 {
            let operation = try creation(keys.take(), of: type, in: schema)
            _ = try await store.perform(Transaction([operation]))
          }
        }
      }
      try await group.waitForAll()
    }
    let written = keys.take() - number
    let rate = Double(written) * 1e9 / Double(now() - begin)
    while calls.count.load(ordering: .relaxed) < first + written { usleep(1_000) }
    print("\(trigger.name), beside \(Int(rate)) durable writes/s", Double(written) * 1e9 / Double(now() - begin), calls.takeDelays())
  }
  await runner.close()
  await store.close()
}

let arguments = CommandLine.arguments
try await measure(
  arguments[1],
  changes: arguments.count > 2 ? Int(arguments[2]) ?? 100_000 : 100_000,
  seconds: arguments.count > 3 ? Int(arguments[3]) ?? 10 : 10)
