import Dispatch
import GatehouseBSON
import GatehouseFeeds
import GatehouseModel
import GatehouseStorage
import Glibc
import Synchronization

// Measures streams whose filters ask for distinct values of one property, or have no equality, in one process: a
// commit that concerns one of them, and a stream that begins and ends beside the others.
//   owners-bench DIRECTORY [STREAMS…]      a directory that is not there; 1, 1,000 and 100,000 streams unless some are named

/// Counts what a stream sends.
final class Target: DeliveryTarget {
  private let counts: Counts
  let isBusy = false

  init(_ counts: Counts) { self.counts = counts }

  func push(_ encoded: EncodedEvents) { counts.add(encoded) }
  func finish(_ frame: [UInt8]) {}
  func abort() { fatalError("a stream was too slow") }
}

/// The streams that are ready, and the events that were sent.
final class Counts: Sendable {
  let ready = Atomic(0)
  let events = Atomic(0)

  func add(_ encoded: EncodedEvents) {
    let text = String(decoding: encoded.bytes, as: UTF8.self)
    if text.contains("event: ready\n") { ready.add(1, ordering: .relaxed) }
    if text.contains("event: insert\n") { events.add(1, ordering: .relaxed) }
  }
}

func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func wait(_ condition: () -> Bool) {
  while !condition() { usleep(50) }
}

/// Streams of one kind on an event loop of their own.
struct Streams {
  private let queue = DispatchQueue(label: "loop")
  let counts = Counts()
  let broker: EventBroker
  private let loop: LoopBroker
  private let filter: String

  init(_ store: Store, filter: String) throws {
    var options = FeedOptions()
    (options.subscribers, options.subscribersPerClient) = (1_000_000, 1_000_000)
    broker = try EventBroker(store, options: options)
    loop = LoopBroker(broker, shard: 0, clock: now) { [queue] job in queue.async(execute: job) }
    self.filter = filter
  }

  /// Opens a stream for each number, and returns when all are ready.
  func open(_ numbers: Range<Int>) -> [Subscriber] {
    let before = counts.ready.load(ordering: .relaxed)
    let subscribers = numbers.map { number in
      var subscription = Subscription(.objectType("Note"), filter: filter)
      subscription.arguments = [.string("u\(number)")]
      guard broker.admit(0) else { fatalError("too many streams") }
      return queue.sync {
        // Nothing else keeps the target.
        let target = Target(counts)
        targets.withLock { $0.append(target) }
        return loop.open(subscription, from: .fresh, into: target, client: 0)
      }
    }
    wait { counts.ready.load(ordering: .relaxed) == before + numbers.count }
    return subscribers
  }

  func end(_ subscribers: [Subscriber]) async {
    queue.sync { for subscriber in subscribers { subscriber.end() } }
    // The broker has taken what it was told before it answers.
    await broker.publishCommits()
  }
}

let targets = Mutex<[Target]>([])

let arguments = CommandLine.arguments.dropFirst()
guard let directory = arguments.first else { fatalError("owners-bench DIRECTORY [STREAMS…]") }
let sizes = arguments.count > 1 ? arguments.dropFirst().compactMap { Int($0) } : [1, 1_000, 100_000]
let store = try Store(directory: directory, clock: { Date(seconds: 1_700_000_000) })
let notation = """
  [{"name":"Note","properties":{"owner_id":{"type":"string","indexed":true},"text":"string"}}]
  """
_ = try await store.apply(Schema(notation: Value(json: notation)), destructive: false)
guard let type = store.schema["Note"] else { fatalError("no class") }

func commit(_ owner: Int) async throws {
  let value = Value.document(["owner_id": .string("u\(owner)"), "text": .string("t")])
  let draft = try type.draft(from: value, in: store.schema, mode: .create)
  _ = try await store.perform(Transaction([.create(objectType: "Note", draft: draft, policy: .error)]))
}

/// Microseconds of a commit until all streams that it concerns were told, without those of the commit itself.
func measure(_ streams: Streams, among count: Int, commits: Int) async throws -> Double {
  var total: UInt64 = 0
  for number in 0..<commits {
    let before = streams.counts.events.load(ordering: .relaxed)
    try await commit(number * 7919 % count)
    let start = now()
    await streams.broker.publishCommits()
    wait { streams.counts.events.load(ordering: .relaxed) > before }
    total += now() - start
  }
  return Double(total) / Double(commits) / 1_000
}

for (name, filter) in [("equality", "owner_id == $0"), ("no equality", "owner_id ==[c] $0 AND text == 'none'")] {
  // Twice, since the machine is another one a minute later.
  for size in sizes + sizes {
    let streams = try Streams(store, filter: filter)
    let subscribers = streams.open(0..<size)
    let told = name == "equality" ? try await measure(streams, among: size, commits: 2_000) : nil
    let start = now()
    for number in 0..<100 {
      await streams.end(streams.open(1_000_000 + number..<1_000_001 + number))
    }
    let joined = Double(now() - start) / 100 / 1_000
    let end = now()
    await streams.end(subscribers)
    let left = Double(now() - end) / Double(size) / 1_000
    func shown(_ number: Double?) -> String { number.map { "\(($0 * 10).rounded() / 10) µs" } ?? "-" }
    print(
      "\(name), \(size) streams: a commit \(shown(told)), a stream that begins and ends \(shown(joined)), "
        + "each at the end \(shown(left))")
    targets.withLock { $0 = [] }
  }
}
