import GatehouseScheduling
import Glibc
import Synchronization
import Testing

@testable import GatehouseCluster

/// Appends one entry after the other, behind whatever is the last one, beside others.
final class AppendingWriter: Sendable {
  private struct State {
    var acknowledged: [String: UInt64] = [:]
    /// Entries that are not in the log, as it has said itself.
    var refused: [String] = []
    var isStopped = false
  }

  let log: any ReplicatedLog
  private let number: Int
  private let state = Mutex(State())
  private let done: any Signal = DispatchScheduler().makeSignal()

  init(number: Int, _ log: any ReplicatedLog) { (self.number, self.log) = (number, log) }

  var acknowledged: [String: UInt64] { state.withLock(\.acknowledged) }
  var count: Int { state.withLock { $0.acknowledged.count } }
  var refused: [String] { state.withLock(\.refused) }

  func start() {
    DispatchScheduler().makeLane("writer", priority: .utility).async {
      var (last, count): (UInt64, Int) = (0, 0)
      while !self.state.withLock(\.isStopped) {
        count += 1
        let text = "w\(self.number).\(count)"
        let outcome = self.log.append(
          Array(text.utf8), expecting: last, identity: text, limit: .seconds(4))
        self.state.withLock { state in
          switch outcome {
          case .appended(let position):
            state.acknowledged[text] = position
            last = position
          case .refused(let current):
            state.refused.append(text)
            last = current
          case .unavailable: state.refused.append(text)
          case .inDoubt: break
          }
        }
      }
      self.done.signal()
    }
  }

  /// Returns when the last append has ended.
  func stop() {
    state.withLock { $0.isStopped = true }
    done.wait()
  }
}

/// Writers who append at once, each behind the entries of the others.
struct AppendingWriters {
  private let writers: [AppendingWriter]

  init(_ count: Int, on servers: some LogServers) throws {
    writers = try (0..<count).map { AppendingWriter(number: $0, try servers.makeLog()) }
    for writer in writers { writer.start() }
  }

  var count: Int { writers.reduce(0) { $0 + $1.count } }

  /// Waits until there are so many more entries.
  func wait(for more: Int) {
    let goal = count + more
    while count < goal { usleep(10_000) }
  }

  func stop() { for writer in writers { writer.stop() } }

  /// Reads a page, from another server where the connection was to one that has ended.
  private func page(of log: any ReplicatedLog, after position: UInt64) throws -> LogPage {
    for _ in 0..<100 {
      if let page = try? log.read(after: position, patience: .seconds(2)) { return page }
      usleep(100_000)
    }
    return try log.read(after: position, patience: .seconds(2))
  }

  /// Reads all entries, and compares them with what the writers were told. Returns how many there are.
  func check(_ log: any ReplicatedLog) throws -> Int {
    var items: [LogPage.Item] = []
    while true {
      let page = try page(of: log, after: items.last?.position ?? 0)
      items += page.items
      if page.items.isEmpty, UInt64(items.count) == page.last { break }
    }
    #expect(items.map(\.position) == (0..<items.count).map { UInt64($0) + 1 })
    var places: [String: UInt64] = [:]
    for item in items {
      let text = String(decoding: item.bytes, as: UTF8.self)
      #expect(places.updateValue(item.position, forKey: text) == nil, "\(text) is there twice")
    }
    for writer in writers {
      for (text, position) in writer.acknowledged where places[text] != position {
        Issue.record("\(text) was acknowledged at \(position), and is at \(places[text] ?? 0)")
      }
      for text in writer.refused where places[text] != nil {
        Issue.record("\(text) was refused, and is there")
      }
      writer.log.close()
    }
    return items.count
  }
}
