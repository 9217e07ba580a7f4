public import Dispatch
import GatehouseBSON
import Synchronization

/// Hears of the changes of a collection's documents.
public protocol ChangeEventDelegate: AnyObject {
  /// The stream is open: changes from now on are told.
  func changeStreamDidOpen(_ changeStream: ChangeStream)
  /// The stream has ended; nil: it was closed.
  func changeStreamDidClose(with error: (any Error)?)
  /// Something that came could not be read.
  func changeStreamDidReceive(error: any Error)
  /// A document has changed.
  func changeStreamDidReceive(changeEvent: AnyBSON?)
}

/// The stream of the changes of a collection's documents, open until it is closed.
public typealias ChangeStream = RLMChangeStream

/// The stream of the changes of a collection's documents, open until it is closed.
public final class RLMChangeStream: Sendable {
  private let task = Mutex<Task<Void, Never>?>(nil)

  init() {}

  /// Has the stream be read by `body`, until it is closed.
  func run(_ body: @escaping @Sendable () async -> Void) {
    task.withLock { task in
      precondition(task == nil, "a stream is run once")
      task = Task { await body() }
    }
  }

  /// Ends the stream.
  public func close() { task.withLock { $0 }?.cancel() }
}

extension RLMMongoCollection {
  /// The changes that are told: all, those of documents by their identifiers, or those that a filter of the events matches.
  enum WatchedChanges: Sendable {
    case all
    case documents([ObjectId])
    case matching(Document)

    func append(to argument: inout GatehouseBSON.Document) {
      switch self {
      case .all: break
      case .documents(let ids): argument.append("ids", .array(ids.map { .objectID($0.stored) }))
      case .matching(let filter): argument.append("filter", filter)
      }
    }
  }

  // With a delegate

  /// Tells a delegate of all changes, on a queue.
  public func watch(delegate: any ChangeEventDelegate, queue: DispatchQueue = .main) -> ChangeStream {
    watch(.all, delegate, queue)
  }

  /// Tells a delegate of changes of some documents, on a queue.
  public func watch(
    filterIds: [ObjectId], delegate: any ChangeEventDelegate, queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch(.documents(filterIds), delegate, queue)
  }

  /// Tells a delegate of changes whose events a filter matches, on a queue.
  public func watch(
    matchFilter: Document, delegate: any ChangeEventDelegate, queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch(.matching(matchFilter), delegate, queue)
  }

  private func watch(
    _ changes: WatchedChanges, _ delegate: any ChangeEventDelegate, _ queue: DispatchQueue
  ) -> ChangeStream {
    let stream = ChangeStream()
    let handover = NotificationToken.Handover(value: delegate)
    stream.run { [self] in
      var end: (any Error)?
      do {
        let opened = { @Sendable in queue.async { handover.value.changeStreamDidOpen(stream) } }
        for try await event in events(changes, onOpen: opened) {
          // The delegate takes them one by one: what comes meanwhile waits in the stream, which has a bound.
          await withCheckedContinuation { taken in
            queue.async {
              handover.value.changeStreamDidReceive(changeEvent: event)
              taken.resume()
            }
          }
        }
      } catch {
        end = error
      }
      let error = end
      queue.async { handover.value.changeStreamDidClose(with: error) }
    }
    return stream
  }

  // As sequences

  /// All changes, as they come. The stream ends with an ``AppError`` where 1,000 of them, or 64 MiB, wait and another one comes. `onOpen`
  /// is called when changes are told from then on.
  public func changeEvents(
    onOpen: (@Sendable () -> Void)? = nil
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events(.all, onOpen: onOpen)
  }

  /// The changes of some documents, as they come. `onOpen` is called when changes are told from then on.
  public func changeEvents(
    filterIds: [ObjectId], onOpen: (@Sendable () -> Void)? = nil
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events(.documents(filterIds), onOpen: onOpen)
  }

  /// The changes whose events a filter matches, as they come. `onOpen` is called when changes are told from then on.
  public func changeEvents(
    matchFilter: Document, onOpen: (@Sendable () -> Void)? = nil
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events(.matching(matchFilter), onOpen: onOpen)
  }

  func events(
    _ changes: WatchedChanges, limits: StreamLimits = StreamLimits(), onOpen: (@Sendable () -> Void)?
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    let (waiting, continuation) = AsyncThrowingStream<WaitingEvent, any Error>.makeStream()
    let reader = StreamReader(continuation, limits, onOpen: onOpen)
    let task = Task {
      do {
        try await read(changes, by: reader)
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return AsyncThrowingStream {
      var events = waiting.makeAsyncIterator()
      guard let event = try await events.next() else { return nil }
      reader.didTake(event)
      return event.value
    }
  }

  /// Reads the stream to its end. Where the access token is not taken, it is renewed, once.
  private func read(_ changes: WatchedChanges, by reader: StreamReader) async throws {
    guard let token = user.accessToken else { throw AppError.notLoggedIn }
    var argument = place
    changes.append(to: &argument)
    do throws(AppError) { try await read(argument, token, by: reader) } catch {
      guard error.httpStatusCode == 401, let renewed = await user.renewedToken(after: token) else {
        throw error
      }
      try await read(argument, renewed, by: reader)
    }
    if let error = reader.error { throw error }
  }

  private func read(
    _ argument: GatehouseBSON.Document, _ token: String, by reader: StreamReader
  ) async throws(AppError) {
    let call = User.call(of: "watch", in: service, [.document(argument)])
    let text = Base64.encode(GatehouseBSON.Value.document(call).extendedJSON)
    let client = user.session.client
    let request = RLMRequest()
    request.url = try await client.url(
      of: "\(client.appPath)/functions/call?baas_request=\(AppRequest.escaped(text))")
    request.headers = ["Accept": "text/event-stream", "Authorization": "Bearer \(token)"]
    let answer: AppAnswer
    do throws(AppError) {
      answer = try await client.settings.transport.stream(request) { reader.take($0) }
    } catch {
      // Who closes a stream wants to hear of no error.
      if Task.isCancelled { return }
      throw error
    }
    if let error = AppError(answer) { throw error }
  }
}

/// An event that nobody has taken yet.
private struct WaitingEvent {
  let value: AnyBSON
  /// The number of its bytes as it came.
  let size: Int
}

/// The most that may wait for whoever reads a stream of changes.
struct StreamLimits {
  var events = 1000
  /// In bytes, beside the event that came last.
  var size = 64 << 20
}

/// Makes events of the pieces of a stream.
private final class StreamReader: Sendable {
  private struct State {
    var parser = EventParser()
    var isOpen = false
    var error: AppError?
    /// The events that nobody has taken yet, and their bytes.
    var waiting = (count: 0, size: 0)
  }

  private let state = Mutex(State())
  private let continuation: AsyncThrowingStream<WaitingEvent, any Error>.Continuation
  private let limits: StreamLimits
  private let onOpen: (@Sendable () -> Void)?

  init(
    _ continuation: AsyncThrowingStream<WaitingEvent, any Error>.Continuation, _ limits: StreamLimits,
    onOpen: (@Sendable () -> Void)?
  ) {
    self.continuation = continuation
    self.limits = limits
    self.onOpen = onOpen
  }

  /// The error that the server has sent in the stream.
  var error: AppError? { state.withLock { $0.error } }

  func take(_ piece: [UInt8]) {
    let (events, opens, isTooLarge) = state.withLock { state in
      defer { state.isOpen = true }
      return (state.parser.take(piece), !state.isOpen, state.parser.isTooLarge)
    }
    if opens { onOpen?() }
    for event in events { take(event) }
    if isTooLarge { fail(AppError(.readSizeLimitExceeded, "server returned an event that is too large")) }
  }

  private func take(_ event: EventParser.Event) {
    let value = try? GatehouseBSON.Value(json: event.data)
    switch event.type {
    case "", "message":
      guard case .document? = value, let value else {
        return fail(AppError(.unknown, "server returned malformed event"))
      }
      yield(WaitingEvent(value: AnyBSON(value), size: event.data.utf8.count))
    case "error":
      let code = value?.member("error_code")?.text.flatMap { AppError.Code.named[$0] } ?? .appUnknownError
      fail(AppError(code, value?.member("error")?.text ?? event.data))
    default: break
    }
  }

  private func yield(_ event: WaitingEvent) {
    let mayWait = state.withLock { [limits] state in
      let waiting = state.waiting
      state.waiting = (waiting.count + 1, waiting.size + event.size)
      return waiting.count < limits.events && waiting.size <= limits.size
    }
    if mayWait {
      continuation.yield(event)
    } else {
      fail(
        AppError(
          .readSizeLimitExceeded,
          "change stream ended: events come faster than they are taken, and too many of them wait"))
    }
  }

  /// Notes that an event was taken.
  func didTake(_ event: WaitingEvent) {
    state.withLock { state in
      state.waiting = (state.waiting.count - 1, state.waiting.size - event.size)
      precondition(
        state.waiting.count >= 0 && state.waiting.size >= 0, "an event that is taken has waited")
    }
  }

  private func fail(_ error: AppError) {
    state.withLock { $0.error = $0.error ?? error }
    continuation.finish(throwing: error)
  }
}
