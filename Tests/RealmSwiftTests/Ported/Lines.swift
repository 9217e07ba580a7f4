import Dispatch
import Synchronization

/// Lines that observers write, each taken once.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  private let available = DispatchSemaphore(value: 0)

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
    available.signal()
  }

  /// Waits for a line; "nothing" where none has come in five minutes, which only a full machine takes.
  func next() -> String {
    guard available.wait(timeout: .now() + 300) == .success else { return "nothing" }
    return lines.withLock { $0.removeFirst() }
  }
}
