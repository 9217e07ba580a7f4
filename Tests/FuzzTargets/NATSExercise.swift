import GatehouseCluster

/// The invariants of any bytes that a NATS server may send.
enum NATSExercise {
  /// Messages are the same however their bytes come, and no more is kept than what none has been made of.
  static func parse(_ bytes: [UInt8], pieces size: Int) {
    let whole = messages(in: bytes, pieces: bytes.count + 1)
    precondition(whole == messages(in: bytes, pieces: size))
  }

  /// An entry that can be read has the same bytes when it is written.
  static func decode(_ bytes: [UInt8]) {
    guard let (entry, hash) = try? Entry.decode(bytes) else { return }
    let (again, other) = entry.encoded()
    precondition(again == bytes && other == hash)
  }

  private static func messages(in bytes: [UInt8], pieces size: Int) -> Outcome {
    var parser = NATSParser(payloadLimit: 300)
    var outcome = Outcome()
    var rest = bytes[...]
    do throws(NATSProtocolError) {
      while !rest.isEmpty {
        parser.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let message = try parser.next() { outcome.messages.append(message) }
        precondition(parser.count <= NATSParser.infoLimit + size)
      }
    } catch { outcome.error = error }
    return outcome
  }

  private struct Outcome: Equatable {
    var messages: [ServerMessage] = []
    var error: NATSProtocolError?
  }
}
