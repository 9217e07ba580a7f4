internal import GatehouseBSON
internal import GatehouseScheduling
internal import GatehouseTelemetry
internal import Synchronization

/// A log that is a stream of NATS JetStream.
///
/// The position of an entry is its sequence. `Nats-Expected-Last-Sequence` makes an append the compare-and-set that it has to be, and
/// `Nats-Msg-Id` finds an entry that was written though its answer was lost; past the window in which the servers remember identities,
/// the entry at that sequence is read.
public final class NATSLog: ReplicatedLog {
  private static let identityField = "Nats-Msg-Id"

  private let options: NATSOptions
  private let requests: StreamRequests
  private let client: NATSClient
  /// The reader that waits at the position where it has ended.
  private let idle = Mutex<StreamReaderSlot>(StreamReaderSlot())

  public init(_ options: NATSOptions) {
    self.options = options
    requests = StreamRequests(options.name)
    client = NATSClient(options)
  }

  public func close() {
    client.close()
    _ = idle.withLock { $0.take() }
  }

  // Appending

  public func append(
    _ entry: [UInt8], expecting expected: UInt64, identity: String, limit: Duration
  ) -> AppendOutcome {
    precondition(entry.count <= Entry.sizeLimit, "an entry has at most so many bytes")
    var attempt = AppendAttempt(
      entry: entry, expected: expected, identity: identity,
      deadline: MonotonicClock.now() + limit.nanoseconds)
    while true {
      if let outcome = perform(&attempt) { return outcome }
      let now = MonotonicClock.now()
      guard now < attempt.deadline else { return attempt.isInDoubt ? .inDoubt : .unavailable }
    }
  }

  /// Sends the entry once; nil: it is to be sent again.
  private func perform(_ attempt: inout AppendAttempt) -> AppendOutcome? {
    guard let connection = connection(until: attempt.deadline) else { return nil }
    switch connection.request(
      attempt.entry, to: requests.subject, headers: attempt.headers, limit: attempt.patience)
    {
    case .unsent: return nil
    case .noResponders:
      client.doubt(connection)
      pause()
      return nil
    case .unanswered:
      attempt.isInDoubt = true
      client.doubt(connection)
      return nil
    case .answered(let delivery):
      if let outcome = outcome(of: StreamAnswer(delivery.payload), &attempt, connection) {
        connection.confirm()
        return outcome
      }
      // An error of a server does not say that the others have not written.
      attempt.isInDoubt = true
      client.doubt(connection)
      pause()
      return nil
    }
  }

  private func outcome(
    of answer: StreamAnswer?, _ attempt: inout AppendAttempt, _ connection: NATSConnection
  ) -> AppendOutcome? {
    switch answer {
    case .success(let document)?:
      guard let sequence = document["seq"]?.number, sequence > 0 else { return nil }
      return .appended(UInt64(sequence))
    case .failure(let error)?: return outcome(of: error, &attempt, connection)
    case nil: return nil
    }
  }

  private func outcome(
    of error: StreamError, _ attempt: inout AppendAttempt, _ connection: NATSConnection
  ) -> AppendOutcome? {
    if error.code == StreamError.messageTooLarge { return .unavailable }
    guard StreamError.wrongLastSequence.contains(error.code) else { return nil }
    if attempt.isInDoubt {
      // It may be one's own that is there.
      switch connection.identity(at: attempt.expected + 1, requests, limit: attempt.patience) {
      case .found(let identity):
        if identity == attempt.identity { return .appended(attempt.expected + 1) }
      // A server that others have replaced may have refused what those have written.
      case .unknown: return nil
      }
    }
    if let current = error.lastSequence { return .refused(current: current) }
    let state = try? connection.information(requests, limit: attempt.patience)
    return .refused(current: state?.last ?? attempt.expected + 1)
  }

  /// Returns a connection; nil, after a moment: there is none.
  private func connection(until deadline: UInt64) -> NATSConnection? {
    if let connection = try? client.connection(until: deadline) { return connection }
    pause()
    return nil
  }

  private func pause() { _ = options.scheduler.makeSignal().wait(for: .milliseconds(20)) }

  // Reading

  public func read(after position: UInt64, patience: Duration) throws(LogError) -> LogPage {
    let reader = try reader(after: position)
    let items: [LogPage.Item]
    var (first, last) = (reader.first, reader.last)
    do throws(LogError) {
      items = try reader.read(patience: patience)
      last = reader.last
      let isGap = items.first.map { $0.position > position + 1 } ?? true
      if isGap {
        // Whether entries are gone, and where the log ends, the stream's leader knows.
        let connection = try client.connection(until: MonotonicClock.now() + 1_000_000_000)
        let state = try connection.information(requests, limit: .seconds(1))
        (first, last) = (state.first, max(state.last, items.last?.position ?? 0))
      }
    } catch {
      client.doubt(reader.connection)
      throw error
    }
    reader.connection.confirm()
    idle.withLock { $0.put(reader) }
    return LogPage(items, first: first, last: max(last, items.last?.position ?? last))
  }

  /// Returns the reader that waits there, or a new one.
  private func reader(after position: UInt64) throws(LogError) -> StreamReader {
    let reader = idle.withLock { $0.take() }
    if let reader, reader.position == position { return reader }
    let connection = try client.connection(until: MonotonicClock.now() + 1_000_000_000)
    do throws(LogError) {
      return try StreamReader(connection, requests, after: position, limit: .seconds(2))
    } catch {
      client.doubt(connection)
      throw error
    }
  }

  // Health

  public func health() throws(LogError) -> LogHealth {
    let connection = try client.connection(until: MonotonicClock.now() + 3_000_000_000)
    let state: StreamState
    do throws(LogError) { state = try information(connection) } catch {
      client.doubt(connection)
      throw error
    }
    var defects = state.defects
    if let defect = ServerVersion.defect(connection.info.version) { defects.insert(defect, at: 0) }
    let client = WaitingClient(authorities: options.authorities, scheduler: options.scheduler)
    defects += ServerMonitor(options.monitoring, client).defects().filter { !defects.contains($0) }
    return LogHealth(
      hasLeader: state.hasLeader, replicas: state.replicas, currentReplicas: state.currentReplicas,
      defects: defects)
  }

  public func remove() throws(LogError) {
    let connection = try client.connection(until: MonotonicClock.now() + 3_000_000_000)
    guard case .answered(let delivery) = connection.request([], to: requests.deletion, limit: .seconds(5))
    else { throw .unavailable }
    switch StreamAnswer(delivery.payload) {
    case .success: break
    case .failure(let error): if error.code != StreamError.streamNotFound { throw .unavailable }
    case nil: throw .malformedAnswer
    }
  }

  /// Asks for the stream, and makes it where there is none.
  private func information(_ connection: NATSConnection) throws(LogError) -> StreamState {
    do throws(LogError) { return try connection.information(requests, limit: .seconds(2)) } catch {
      guard error == .unusable(.missing) else { throw error }
    }
    guard connection.info.maximumPayload >= Entry.sizeLimit + 1_024 else {
      throw .unusable(.small(connection.info.maximumPayload))
    }
    var isRefused = false
    if case .answered(let delivery) = connection.request(
      requests.settings(options), to: requests.creation, limit: .seconds(5)),
      case .failure? = StreamAnswer(delivery.payload)
    {
      isRefused = true
    }
    do throws(LogError) { return try connection.information(requests, limit: .seconds(2)) } catch {
      // A stream that has just been made, for this node or for another one, is not known to all servers at once.
      throw error == .unusable(.missing) && !isRefused ? .unavailable : error
    }
  }
}

/// An append that may take several messages.
private struct AppendAttempt {
  let entry: [UInt8]
  let expected: UInt64
  let identity: String
  let deadline: UInt64
  /// Whether a message of it may have been written.
  var isInDoubt = false

  var headers: MessageHeaders {
    MessageHeaders([
      .init(name: "Nats-Msg-Id", value: identity),
      .init(name: "Nats-Expected-Last-Sequence", value: String(expected)),
    ])
  }

  /// How long one message is waited for.
  var patience: Duration {
    let now = MonotonicClock.now()
    return .nanoseconds(min(1_000_000_000, deadline > now ? deadline - now : 0))
  }
}

/// A place for a reader that nobody uses.
///
/// `@unchecked Sendable`. Because a reader is put there and taken from there under a lock, and used by the one that took it.
struct StreamReaderSlot: @unchecked Sendable {
  private var reader: StreamReader?

  mutating func take() -> StreamReader? {
    defer { reader = nil }
    return reader
  }

  mutating func put(_ reader: StreamReader) { self.reader = reader }
}

extension NATSConnection {
  /// Asks the stream's leader for it. Throws ``LogError``; ``LogDefect/missing`` where there is none.
  func information(_ requests: StreamRequests, limit: Duration) throws(LogError) -> StreamState {
    guard case .answered(let delivery) = request([], to: requests.information, limit: limit) else {
      throw .unavailable
    }
    switch StreamAnswer(delivery.payload) {
    case .success(let document):
      guard let state = StreamState(document, subject: requests.subject) else { throw .malformedAnswer }
      return state
    case .failure(let error):
      throw error.code == StreamError.streamNotFound ? .unusable(.missing) : .unavailable
    case nil: throw .malformedAnswer
    }
  }

  enum Identity: Hashable {
    case found(String)
    /// The entry is not there, as far as the server that was asked knows, or it does not answer.
    case unknown
  }

  /// Asks the stream's leader for the identity of the entry at a position.
  func identity(at position: UInt64, _ requests: StreamRequests, limit: Duration) -> Identity {
    guard
      case .answered(let delivery) = request(
        requests.sequence(position), to: requests.message, limit: limit)
    else { return .unknown }
    switch StreamAnswer(delivery.payload) {
    case .success(let document):
      guard let text = document["message"]?.document?["hdrs"]?.text, let bytes = Base64.decode(text),
        let headers = try? MessageHeaders(bytes[...]), let identity = headers["Nats-Msg-Id"]
      else { return .unknown }
      return .found(identity)
    case .failure, nil: return .unknown
    }
  }
}
