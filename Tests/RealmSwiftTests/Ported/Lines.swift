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

  /// Waits for a line; "nothing" where none has come in ten seconds.
  func next() -> String {
    guard available.wait(timeout: .now() + 10) == .success else { return "nothing" }
    return lines.withLock { $0.removeFirst() }
  }
}
