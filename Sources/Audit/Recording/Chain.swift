import Crypto

/// What ties each event to the one before it.
///
/// `chain` is SHA-256, in hexadecimal, of the previous event's `chain` (64 zeros before the first), a line feed, and
/// the event's line (``StoredEvent/line(id:)``). Whoever changes, removes or inserts an event in the file would have
/// to write all later ones anew.
enum Chain {
  /// What comes before the first event.
  static let origin = String(repeating: "0", count: 64)

  static func link(_ line: [UInt8], after previous: String) -> String {
    var message = Array(previous.utf8)
    message.reserveCapacity(previous.utf8.count + 1 + line.count)
    message.append(UInt8(ascii: "\n"))
    message += line
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in Digest.sha256.hash(message) {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x57 + value
  }
}
