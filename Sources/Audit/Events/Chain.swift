import GatehouseBSON
import GatehouseCrypto

/// The hash chain that ties each event to the one before it.
///
/// `chain` is SHA-256, in hexadecimal, of the previous event's `chain` (64 zeros before the first), a line feed, and
/// the event's line (``StoredEvent/appendLine(id:chain:to:)``). Whoever changes, removes or inserts an event in the
/// file would have to write all later ones anew.
enum Chain {
  /// The chain before the first event.
  static let origin = String(repeating: "0", count: 64)

  /// Returns the chain behind the event, which follows the one whose chain is `previous`.
  static func link(_ event: StoredEvent, id: ObjectID, after previous: String) -> String {
    var message = JSONText()
    message.bytes.reserveCapacity(previous.utf8.count + 1 + event.lineSize)
    message.verbatim(previous)
    message.append("\n")
    event.appendLine(id: id, chain: nil, to: &message)
    return Hexadecimal.text(of: Digest.sha256.hash(message.bytes))
  }
}
