import Dispatch
import GatehouseTelemetry
import Glibc
import Synchronization

/// Writes the lines of the event loops to a file or a stream, on a queue of its own, so that a slow disk or a reader
/// that has stopped keeps no request waiting. Bytes beyond ``mostWaiting`` are dropped, and counted.
final class AccessLog: Sendable {
  /// Where the lines go.
  enum Place: Hashable, Sendable {
    case off
    case standardError
    case file(String)
  }

  /// The most bytes that wait to be written.
  private static let mostWaiting = 8 << 20

  private let place: Place
  private let queue = DispatchQueue(label: "gatehouse.access-log", qos: .utility)
  /// Owned by the queue's work.
  private let descriptor: Mutex<Int32>
  private let waiting = Atomic(0)
  private let lost: Counter

  /// Opens the log; nil if there is to be none.
  init?(_ place: Place, metrics: Registry) throws(CommandError) {
    guard let descriptor = try AccessLog.open(place) else { return nil }
    self.place = place
    self.descriptor = Mutex(descriptor)
    lost = metrics.counter(
      "gatehouse_log_lost_bytes", help: "Lines of the access log that were dropped, in bytes.")
  }

  deinit {
    AccessLog.close(descriptor.withLock(\.self))
  }

  /// Has the lines written soon.
  func write(_ lines: [UInt8]) {
    let before = waiting.wrappingAdd(lines.count, ordering: .relaxed).oldValue
    guard before < AccessLog.mostWaiting else {
      waiting.wrappingSubtract(lines.count, ordering: .relaxed)
      return lost.add(lines.count)
    }
    queue.async {
      let descriptor = self.descriptor.withLock(\.self)
      if (try? Output(descriptor: descriptor).write(lines)) == nil { self.lost.add(lines.count) }
      self.waiting.wrappingSubtract(lines.count, ordering: .relaxed)
    }
  }

  /// Opens the file anew, since whoever rotates logs has renamed it; lines that were handed over before go to the old
  /// one.
  func reopen() throws(CommandError) {
    guard case .file = place, let next = try AccessLog.open(place) else { return }
    queue.async {
      let old = self.descriptor.withLock { descriptor in
        defer { descriptor = next }
        return descriptor
      }
      AccessLog.close(old)
    }
  }

  /// Returns when all lines that were handed over are written.
  func finish() {
    queue.sync {}
  }

  private static func open(_ place: Place) throws(CommandError) -> Int32? {
    switch place {
    case .off: return nil
    case .standardError: return STDERR_FILENO
    case .file(let path):
      let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
      guard descriptor >= 0 else { throw .file(path: path, action: .write, code: errno) }
      return descriptor
    }
  }

  private static func close(_ descriptor: Int32) {
    if descriptor > STDERR_FILENO { Glibc.close(descriptor) }
  }
}

extension AccessLog.Place: SettingValue {
  static var expectation: String { "off, stderr or the path of a file" }

  init?(settingText: String) {
    switch settingText {
    case "": return nil
    case "off": self = .off
    case "stderr": self = .standardError
    default: self = .file(settingText)
    }
  }

  var settingText: String {
    switch self {
    case .off: "off"
    case .standardError: "stderr"
    case .file(let path): path
    }
  }
}
