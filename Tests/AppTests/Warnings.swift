import Synchronization

/// Texts that whatever is tested has said.
final class Warnings: Sendable {
  private let list = Mutex<[String]>([])

  var texts: [String] { list.withLock { $0 } }

  func append(_ text: String) { list.withLock { $0.append(text) } }
}
