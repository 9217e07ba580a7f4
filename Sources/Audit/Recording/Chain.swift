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
    return Hexadecimal.text(of: Digest.sha256.hash(message))
  }
}
