import CGatehouseSimulation
import GatehouseAPI
import GatehouseHTTP

/// The gateway's end of a connection: obeys the state machine of `HTTP`, as the server does with its sockets.
///
/// `@unchecked Sendable`. Because it is used on its loop only.
final class ServerEnd: @unchecked Sendable {
  private let loop: SimulatedLoop
  private let gateway: Gateway
  private var state: Connection
  private var heads = HeadRoom()
  private var writer = ResponseWriter(capacity: 4_096)
  private var unread: [UInt8] = []
  private var content: ArrivingContent?
  private var task: Task<Void, Never>?
  private var source: (any PushSource)?
  private var requests: UInt64 = 0
  private(set) var isClosed = false
  /// Whether the gateway works on a request.
  private(set) var isAnswering = false
  /// The other end.
  weak var client: ClientEnd?

  init(on loop: SimulatedLoop, _ gateway: Gateway, _ limits: SharedLimits) {
    (self.loop, self.gateway) = (loop, gateway)
    state = Connection(limits: limits, now: loop.now)
  }

  // Bytes in

  func receive(_ bytes: ArraySlice<UInt8>) {
    unread += bytes
    advance()
  }

  private func advance() {
    while !isClosed, state.wantsBytes {
      var position = 0
      let bytes = unread
      let action = bytes.withUnsafeBytes { state.next(in: $0, at: &position, using: &heads, now: loop.now) }
      unread.removeFirst(position)
      switch action {
      case .read, .hold: return
      case .respond(let head, let content): answer(head, content)
      case .content(let range): content?.append(Array(bytes[range]))
      case .contentEnd: content?.finish()
      case .contentFailure(let error): content?.fail(error)
      case .refuse(let error):
        state.refuse(error, id: nil, into: &writer, now: loop.now)
        flush()
      }
    }
  }

  // Answers

  private func answer(_ head: RequestHead, _ content: Connection.Content) {
    requests += 1
    isAnswering = true
    let id = RequestID.made(requests)
    let request = Request(
      head, body: body(content), id: id, peer: .local, isSecure: false, loopIndex: loop.index)
    task = Task(executorPreference: loop) { [self] in
      let response = await gateway.respond(to: request)
      await send(response, id: id)
      isAnswering = false
    }
  }

  private func body(_ content: Connection.Content) -> RequestBody {
    switch content {
    case .none: return .empty
    case .whole(let bytes): return .bytes(bytes)
    case .first(let bytes):
      let arriving = ArrivingContent(first: bytes)
      self.content = arriving
      state.continue(into: &writer, now: loop.now)
      flush()
      return .stream(arriving)
    }
  }

  private func send(_ response: Response, id: RequestID) async {
    guard !isClosed else { return }
    guard state.respond(response, id: id, into: &writer, now: loop.now) == .stream else {
      return finishResponse()
    }
    flush()
    switch response.body {
    case .empty, .bytes: break
    case .pushed(let source):
      self.source = source
      source.start(ServerSink(of: self))
    case .stream(let produce):
      do { try await produce(ServerWriter(of: self)) } catch { return close() }
      finishStream()
    }
  }

  /// Sends a piece of an answer that stays open.
  func write(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    state.write(bytes, into: &writer)
    flush()
  }

  func finishStream() {
    guard !isClosed else { return }
    state.finishResponse(into: &writer, now: loop.now)
    source = nil
    finishResponse()
  }

  private func finishResponse() {
    content?.fail(.incomplete)
    content = nil
    flush()
    if state.isFinished { return close() }
    loop.later { self.advance() }
  }

  private func flush() {
    let bytes = Array(writer.output.bytes)
    writer.output.removeAll()
    if !bytes.isEmpty { client?.receive(bytes) }
  }

  // The client's side

  /// Whether something that was pushed waits for the client.
  var isBusy: Bool { client?.isBusy ?? false }

  func resume() { source?.resume() }

  /// The connection has ended, by whichever end.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    if case .contentFailure(let error) = state.receiveEnd(now: loop.now) { content?.fail(error) }
    content?.fail(.incomplete)
    content = nil
    task?.cancel()
    source?.end()
    source = nil
    client?.didClose()
  }
}

/// Writes pieces of an answer.
private struct ServerWriter: BodyWriter {
  private let server: ServerEnd

  init(of server: ServerEnd) { self.server = server }

  func write(_ bytes: [UInt8]) async throws {
    guard !server.isClosed else { throw ClientDisconnectedError() }
    server.write(bytes)
    await Task.yield()
  }
}

/// Pushes pieces of an answer that stays open.
private final class ServerSink: PushSink {
  private let server: ServerEnd

  init(of server: ServerEnd) { self.server = server }

  var isBusy: Bool { server.isBusy }

  func push(_ bytes: [UInt8]) { server.write(bytes) }

  func complete() { server.finishStream() }

  func abort() { server.close() }
}
