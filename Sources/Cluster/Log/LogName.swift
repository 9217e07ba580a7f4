/// The name of a log, which is that of a stream, and a part of the keys in etcd.
public struct LogName: Hashable, Sendable {
  public let text: String

  /// The log of an app's database, beside that of the default one.
  ///
  /// - Parameter identity: Letters and digits that no other app has, nor one that had its name before.
  init(ofApp identity: String, beside main: LogName) { text = "\(main.text)-\(identity)" }

  /// Nil unless the text has 1 to 64 letters, digits, `-` or `_`.
  public init?(_ text: String) {
    let isAllowed = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isAllowed, (1...64).contains(text.utf8.count) else { return nil }
    self.text = text
  }
}
