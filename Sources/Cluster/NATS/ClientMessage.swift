/// A message of a client to a NATS server, as bytes.
enum ClientMessage {
  /// The first message, with JSON.
  static func connect(_ options: [UInt8]) -> [UInt8] { Array("CONNECT ".utf8) + options + end }

  static func subscribe(_ subject: String, as subscription: UInt64) -> [UInt8] {
    line("SUB \(subject) \(subscription)")
  }

  static func unsubscribe(_ subscription: UInt64) -> [UInt8] { line("UNSUB \(subscription)") }

  static func publish(
    _ payload: [UInt8], to subject: String, headers: MessageHeaders = MessageHeaders(), reply: String? = nil
  ) -> [UInt8] {
    let reply = reply.map { " \($0)" } ?? ""
    if headers.fields.isEmpty {
      return line("PUB \(subject)\(reply) \(payload.count)") + payload + end
    }
    let head = headers.encoded
    return line("HPUB \(subject)\(reply) \(head.count) \(head.count + payload.count)") + head + payload + end
  }

  static let ping = line("PING")
  static let pong = line("PONG")

  private static let end = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]

  private static func line(_ text: String) -> [UInt8] { Array(text.utf8) + end }
}
