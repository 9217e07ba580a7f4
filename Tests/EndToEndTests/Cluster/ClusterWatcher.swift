import Dispatch
import GatehouseTestSupport
import Glibc
import Synchronization

/// A client who is told of new objects by one node after the other, and goes on behind the last event each time.
final class ClusterWatcher: Sendable {
  private struct State {
    var told: Set<Int> = []
    var last: String?
    var streams = 0
    var isStopped = false
    var problems: [String] = []

    mutating func take(_ events: [NodeStream.Event]) {
      if !events.isEmpty { streams += 1 }
      for event in events where event.kind == "insert" {
        if let last, !Self.numbers(last).lexicographicallyPrecedes(Self.numbers(event.id)) {
          problems.append("\(event.id) after \(last)")
        }
        last = event.id
        guard let id = event.data.firstMatch(of: /"_id":(\d+)/).flatMap({ Int($0.1) }) else {
          problems.append(event.data)
          continue
        }
        if !told.insert(id).inserted { problems.append("\(id) came again: \(event.id)") }
      }
    }

    /// The version and the place within it.
    private static func numbers(_ position: String) -> [Int] {
      position.split { !$0.isNumber }.compactMap { Int($0) }
    }
  }

  private let ports: [UInt16]
  private let state = Mutex(State())
  private let group = DispatchGroup()

  /// The objects after which it goes to another node.
  private static let portion = 100
  /// How long it waits for the next one before it asks another node.
  private static let seconds = 5

  init(at ports: [UInt16]) {
    self.ports = ports
    DispatchQueue(label: "watcher").async(group: group) { self.run() }
  }

  /// The objects that it was told of.
  var told: Set<Int> { state.withLock(\.told) }
  /// Objects that came twice, and events that were not behind those before.
  var problems: [String] { state.withLock(\.problems) }
  /// The streams that told it of something.
  var streams: Int { state.withLock(\.streams) }

  /// Returns when it has been told of those objects, or has not been although every node was asked many times.
  func stop(after objects: Set<Int>) {
    for _ in 0..<3_000 where !objects.isSubset(of: told) { usleep(20_000) }
    state.withLock { $0.isStopped = true }
    group.wait()
  }

  private func run() {
    var attempt = 0
    while !state.withLock(\.isStopped) {
      attempt += 1
      let last = state.withLock(\.last)
      let stream = try? NodeStream(
        ports[attempt % ports.count], "/v1/collections/Item?since=1", last: last,
        seconds: ClusterWatcher.seconds)
      let events = (try? stream?.objects(ClusterWatcher.portion)) ?? []
      if events.isEmpty { usleep(20_000) }
      state.withLock { $0.take(events) }
    }
  }
}
