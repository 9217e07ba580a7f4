internal import GatehouseBSON
internal import GatehouseTelemetry

/// Reads a stream from a position on, by a consumer that it makes for itself.
///
/// A request for many messages is always with the server, so that an entry comes as soon as a majority has it. No more come than were
/// asked for, so that a reader that is slow keeps at most that many in memory.
final class StreamReader {
  /// The messages of one request, which has 8 MB as well.
  private static let batch = 256
  private static let heartbeat: Duration = .seconds(1)
  /// The time without any sign of the server after which there is no more hope.
  private static let silence: UInt64 = 3_000_000_000

  let connection: NATSConnection
  private let requests: StreamRequests
  private let consumer: String
  private let mailbox: Mailbox
  /// The position of the last entry that was returned.
  private(set) var position: UInt64
  /// The first entry that the stream had, when the reader was made.
  let first: UInt64
  /// The last entry that the server has told of.
  private(set) var last: UInt64
  private var expected = 0
  private var heardAt = MonotonicClock.now()

  /// Makes a consumer. Throws ``LogError``.
  init(
    _ connection: NATSConnection, _ requests: StreamRequests, after position: UInt64, limit: Duration
  ) throws(LogError) {
    let state = try connection.information(requests, limit: limit)
    let answer = connection.request(
      requests.consumerSettings(after: position), to: requests.consumer, limit: limit)
    guard case .answered(let delivery) = answer, case .success(let document) = StreamAnswer(delivery.payload),
      let name = document["name"]?.text, let mailbox = connection.subscribe()
    else { throw .unavailable }
    (self.connection, self.requests, self.mailbox) = (connection, requests, mailbox)
    (consumer, self.position, first, last) = (name, position, state.first, state.last)
  }

  deinit {
    if connection.isOpen { _ = connection.publish([], to: requests.removal(consumer), answers: mailbox) }
    connection.unsubscribe(mailbox)
  }

  /// Returns what has come, and waits for the first entry; empty: none has come within the time. Throws ``LogError``, after which the
  /// reader is of no more use.
  func read(patience: Duration) throws(LogError) -> [LogPage.Item] {
    // An entry that is there already takes a moment to come.
    let wait = position < last ? max(patience, .seconds(1)) : patience
    let deadline = MonotonicClock.now() + wait.nanoseconds
    var items: [LogPage.Item] = []
    while items.count < StreamReader.batch {
      if expected == 0 { try ask() }
      let now = MonotonicClock.now()
      let rest = items.isEmpty && now < deadline ? min(deadline - now, StreamReader.silence) : 0
      switch mailbox.take(limit: .nanoseconds(rest)) {
      case .closed: throw .unavailable
      case .nothing:
        guard MonotonicClock.now() < heardAt + StreamReader.silence else { throw .unavailable }
        if rest == 0 { return items }
      case .delivery(let delivery):
        heardAt = MonotonicClock.now()
        if let item = try take(delivery) { items.append(item) }
      }
    }
    return items
  }

  private func ask() throws(LogError) {
    let pull = StreamRequests.pull(
      StreamReader.batch, expires: .seconds(30), heartbeat: StreamReader.heartbeat)
    guard connection.publish(pull, to: requests.next(consumer), answers: mailbox) else { throw .unavailable }
    expected = StreamReader.batch
  }

  /// Returns the entry of a message; nil: it is about the request.
  private func take(_ delivery: Delivery) throws(LogError) -> LogPage.Item? {
    if let status = delivery.headers.status {
      switch status {
      case 100: return nil
      // The request has ended: its time, its bytes, or the server that had it.
      case 404, 408: expected = 0
      case 409 where !delivery.headers.reason.lowercased().contains("deleted"): expected = 0
      default: throw .unavailable
      }
      return nil
    }
    guard let place = delivery.reply.flatMap(StreamPlace.init) else { return nil }
    precondition(
      expected >= 0 && expected <= StreamReader.batch, "no more is asked for than a request's messages")
    expected = max(0, expected - 1)
    last = max(last, place.sequence + place.pending)
    // One that comes again, as a consumer does that has found another server.
    guard place.sequence > position else { return nil }
    position = place.sequence
    return LogPage.Item(position: place.sequence, bytes: delivery.payload)
  }
}

/// The place of a message in a stream, by the subject that its acknowledgement would go to.
///
/// `$JS.ACK.stream.consumer.delivered.sequence.consumer sequence.time.pending`, or with two more words in front of the stream.
struct StreamPlace: Hashable {
  let sequence: UInt64
  /// The messages behind it.
  let pending: UInt64

  init?(_ reply: String) {
    let words = reply.split(separator: ".", omittingEmptySubsequences: false)
    guard words.count == 9 || words.count >= 11, words[0] == "$JS", words[1] == "ACK" else { return nil }
    let offset = words.count == 9 ? 5 : 7
    // The last position of a stream is no greater than a signed number can be.
    guard let sequence = Int64(words[offset]), let pending = Int64(words[offset + 3]), sequence > 0,
      pending >= 0, pending < .max - sequence
    else { return nil }
    (self.sequence, self.pending) = (UInt64(sequence), UInt64(pending))
  }
}
