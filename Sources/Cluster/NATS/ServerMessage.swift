/// A message of a NATS server to its client.
///
/// Source: <https://docs.nats.io/reference/reference-protocols/nats-protocol>.
package enum ServerMessage: Hashable, Sendable {
  /// The JSON of `INFO`.
  case info([UInt8])
  /// `MSG`, or `HMSG`, which has headers.
  case delivery(Delivery)
  case ping
  case pong
  case ok
  /// The text of `-ERR`, without its quotes.
  case error(String)
}

/// A message to a subscription.
package struct Delivery: Hashable, Sendable {
  package let subject: String
  /// The number that the client gave the subscription.
  package let subscription: UInt64
  /// The subject that an answer goes to.
  package let reply: String?
  package let headers: MessageHeaders
  package let payload: [UInt8]
}

/// Why bytes of a server are none of the protocol's.
package enum NATSProtocolError: Error, Hashable, Sendable {
  /// A line, or the headers or the payload that it announces, is longer than there is room for.
  case tooLong
  /// A line that no server sends.
  case malformedLine
  case malformedHeaders
}
