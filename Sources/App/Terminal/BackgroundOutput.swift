import Dispatch
import Glibc
import Synchronization

/// Writes to a descriptor on a queue of its own, so that a slow disk or a reader that has stopped keeps nobody waiting. Bytes beyond
/// ``mostWaiting`` are dropped.
final class BackgroundOutput: Sendable {
  static let standard = BackgroundOutput(STDOUT_FILENO)
  static let error = BackgroundOutput(STDERR_FILENO)

  /// The most bytes that wait to be written.
  static let mostWaiting = 8 << 20

  private let queue = DispatchQueue(label: "gatehouse.output", qos: .utility)
  /// Owned by the queue's work.
  private let descriptor: Mutex<Int32>
  private let waiting = Atomic(0)
  private let hasNoReader = Atomic(false)

  init(_ descriptor: Int32) {
    self.descriptor = Mutex(descriptor)
  }

  deinit {
    BackgroundOutput.close(descriptor.withLock(\.self))
  }

  /// Has the bytes written soon. `didLose` is called with their number where they are dropped.
  func write(_ bytes: [UInt8], didLose: @escaping @Sendable (Int) -> Void = { _ in }) {
    let before = waiting.wrappingAdd(bytes.count, ordering: .relaxed).oldValue
    guard before < BackgroundOutput.mostWaiting else {
      waiting.wrappingSubtract(bytes.count, ordering: .relaxed)
      return didLose(bytes.count)
    }
    queue.async {
      let descriptor = self.descriptor.withLock(\.self)
      if (try? Output(descriptor: descriptor).write(bytes)) == nil { didLose(bytes.count) }
      let before = self.waiting.wrappingSubtract(bytes.count, ordering: .relaxed).oldValue
      precondition(before >= bytes.count, "\(bytes.count) bytes waited, of \(before) in all")
    }
  }

  /// Writes to another descriptor what is handed over from now on, and closes the one before then.
  func replace(with next: Int32) {
    queue.async {
      let old = self.descriptor.withLock { descriptor in
        defer { descriptor = next }
        return descriptor
      }
      BackgroundOutput.close(old)
    }
  }

  /// Returns when all that was handed over is written, or, once, after two seconds: nobody may read it.
  func finish() {
    guard !hasNoReader.load(ordering: .relaxed) else { return }
    let group = DispatchGroup()
    queue.async(group: group) {}
    guard group.wait(timeout: .now() + 2) == .timedOut else { return }
    hasNoReader.store(true, ordering: .relaxed)
  }

  private static func close(_ descriptor: Int32) {
    if descriptor > STDERR_FILENO { Glibc.close(descriptor) }
  }
}

extension Output {
  /// Has a sentence for the operator written to standard error soon.
  static func warn(_ text: String) { error.tell("gatehouse: \(text)\n") }

  /// Writes the text without waiting for whoever reads it, for a program that has other things to do.
  func tell(_ text: String) { tell(Array(text.utf8)) }

  func tell(_ bytes: [UInt8]) {
    switch descriptor {
    case STDOUT_FILENO: BackgroundOutput.standard.write(bytes)
    case STDERR_FILENO: BackgroundOutput.error.write(bytes)
    default: try? write(bytes)
    }
  }
}
