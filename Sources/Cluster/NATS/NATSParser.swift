/// Cuts the bytes of a NATS server into messages, however they come.
///
/// The server is not trusted with memory: lines and payloads have limits, and no more is kept than one message.
package struct NATSParser: Sendable {
  /// The most bytes of a line but that of `INFO`.
  package static let lineLimit = 4 << 10
  /// The most bytes of the line of `INFO`, which names all servers.
  package static let infoLimit = 64 << 10

  /// The most bytes of headers and payload together.
  private let payloadLimit: Int
  private var bytes: [UInt8] = []
  /// The first byte that no message has been made of.
  private var start = 0
  /// Up to where no line feed was found.
  private var searched = 0
  /// The line whose payload has not come.
  private var pending: Announcement?

  private struct Announcement {
    let subject: String
    let subscription: UInt64
    let reply: String?
    let headerSize: Int
    let size: Int
  }

  package init(payloadLimit: Int = 2 << 20) { self.payloadLimit = payloadLimit }

  /// The bytes that no message has been made of.
  package var count: Int { bytes.count - start }

  /// Takes bytes that have come. Call ``next()`` until it returns nil before the next ones.
  package mutating func append(_ piece: some Collection<UInt8>) {
    precondition(start >= 0 && start <= bytes.count, "bytes are handled once, in their order")
    // Bytes that were read are given up where that costs less than the new ones.
    if start > 0, start == bytes.count || start >= 64 << 10 {
      bytes.removeFirst(start)
      (searched, start) = (searched - start, 0)
    }
    bytes.append(contentsOf: piece)
  }

  /// Returns the next message; nil: more must come. After an error the connection is of no more use.
  package mutating func next() throws(NATSProtocolError) -> ServerMessage? {
    if let announcement = pending { return try delivery(of: announcement) }
    guard let line = try nextLine() else { return nil }
    guard let (verb, rest) = NATSParser.split(line) else { throw .malformedLine }
    switch verb {
    case "INFO": return .info(Array(rest))
    case "MSG", "HMSG":
      let announcement = try announcement(rest, hasHeaders: verb == "HMSG")
      pending = announcement
      return try delivery(of: announcement)
    case "PING" where rest.isEmpty: return .ping
    case "PONG" where rest.isEmpty: return .pong
    case "+OK" where rest.isEmpty: return .ok
    case "-ERR":
      guard let text = String(validating: rest, as: UTF8.self) else { throw .malformedLine }
      return .error(text.first == "'" && text.last == "'" ? String(text.dropFirst().dropLast()) : text)
    default: throw .malformedLine
    }
  }

  /// Returns a line without its end.
  private mutating func nextLine() throws(NATSProtocolError) -> ArraySlice<UInt8>? {
    searched = max(searched, start)
    // A line of any other kind is too long where it has as many bytes as one of `INFO`.
    let isInfo = bytes[start...].starts(with: "INFO ".utf8)
    let limit = isInfo ? NATSParser.infoLimit : NATSParser.lineLimit
    let window = bytes[searched..<min(bytes.count, start + limit)]
    guard let end = window.firstIndex(of: UInt8(ascii: "\n")) else {
      searched = window.endIndex
      guard count < limit else { throw .tooLong }
      return nil
    }
    guard end > start, bytes[end - 1] == UInt8(ascii: "\r") else { throw .malformedLine }
    defer { start = end + 1 }
    return bytes[start..<(end - 1)]
  }

  /// Cuts the verb off, which servers may write in any case.
  private static func split(_ line: ArraySlice<UInt8>) -> (verb: String, rest: ArraySlice<UInt8>)? {
    let verb = line.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    guard verb.count <= 5, let text = String(validating: verb, as: UTF8.self) else { return nil }
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return (text.uppercased(), line[verb.endIndex...].drop(while: isSpace))
  }

  /// Reads `subject sid [reply] [header size] size`.
  private func announcement(
    _ line: ArraySlice<UInt8>, hasHeaders: Bool
  ) throws(NATSProtocolError) -> Announcement {
    var words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }[...]
    let least = hasHeaders ? 4 : 3
    guard words.count == least || words.count == least + 1,
      let subject = NATSParser.text(words.removeFirst()),
      let subscription = NATSParser.number(words.removeFirst())
    else { throw .malformedLine }
    var reply: String?
    if words.count == least - 1 {
      guard let text = NATSParser.text(words.removeFirst()) else { throw .malformedLine }
      reply = text
    }
    let headerSize = hasHeaders ? NATSParser.number(words.removeFirst()) : 0
    guard let headerSize, let size = NATSParser.number(words.removeFirst()), headerSize <= size else {
      throw .malformedLine
    }
    guard size <= UInt64(payloadLimit) else { throw .tooLong }
    return Announcement(
      subject: subject, subscription: subscription, reply: reply, headerSize: Int(headerSize), size: Int(size)
    )
  }

  private mutating func delivery(
    of announcement: Announcement
  ) throws(NATSProtocolError) -> ServerMessage? {
    let end = start + announcement.size
    guard bytes.count >= end + 2 else { return nil }
    guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else {
      throw .malformedLine
    }
    let middle = start + announcement.headerSize
    let headers = announcement.headerSize == 0 ? MessageHeaders() : try MessageHeaders(bytes[start..<middle])
    let payload = Array(bytes[middle..<end])
    (start, pending) = (end + 2, nil)
    return .delivery(
      Delivery(
        subject: announcement.subject, subscription: announcement.subscription, reply: announcement.reply,
        headers: headers, payload: payload))
  }

  private static func text(_ word: ArraySlice<UInt8>) -> String? { String(validating: word, as: UTF8.self) }

  /// Reads a number of digits only, which `UInt64` does not insist on.
  private static func number(_ word: ArraySlice<UInt8>) -> UInt64? {
    guard word.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return text(word).flatMap { UInt64($0) }
  }
}
