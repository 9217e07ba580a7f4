import CGatehouseSimulation
import GatehouseAPI
import GatehouseHTTP
import GatehouseSeeded

/// A client's end of a connection: sends requests in pieces that the seed cuts, and closes in the middle of a request or of an
/// answer where the seed says so.
///
/// `@unchecked Sendable`. Because it is used on its loop only.
final class ClientEnd: @unchecked Sendable {
  private let loop: SimulatedLoop
  private let server: ServerEnd
  private var generator: SeededGenerator
  private var parser = ResponseParser()
  private var head: (status: Int, fields: Fields)?
  private var content: [UInt8] = []
  private var stream: ReceivedStream?
  private var complete: ((Answer?) -> Void)?
  /// The bytes of the answer after which the client leaves; nil: it does not.
  private var patience: Int?
  private var isClosed = false

  init(on loop: SimulatedLoop, _ gateway: Gateway, _ limits: SharedLimits, _ generator: SeededGenerator) {
    self.loop = loop
    self.generator = generator
    server = ServerEnd(on: loop, gateway, limits)
    server.client = self
  }

  /// Whether another request may be made on it.
  var isIdle: Bool { !isClosed && !server.isClosed && complete == nil && stream == nil && !isServed }
  /// Whether nothing comes by it any more.
  var isOver: Bool { isClosed && !isServed }
  /// Whether the gateway works on a request that came by it.
  var isServed: Bool { server.isAnswering }
  /// Whether the client takes nothing at the moment.
  var isBusy: Bool { stream?.sink?.isBusy ?? false }

  private func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  /// Sends a request; `complete` gets its answer, or nil where that does not come.
  func perform(_ request: Request, mayBeCut: Bool, complete: @escaping (Answer?) -> Void) {
    self.complete = complete
    (head, content) = (nil, [])
    var bytes = request.bytes(chunked: draw(3) == 0)
    let isCut = mayBeCut && draw(60) == 0
    if isCut { bytes = Array(bytes.prefix(draw(bytes.count))) }
    patience = mayBeCut && draw(60) == 0 ? 1 + draw(2_000) : nil
    send(bytes[...], isCut: isCut)
  }

  private func send(_ bytes: ArraySlice<UInt8>, isCut: Bool) {
    guard !isClosed else { return }
    guard !bytes.isEmpty else {
      if isCut { close() }
      return
    }
    let count = draw(2) == 0 ? bytes.count : 1 + draw(bytes.count)
    server.receive(bytes.prefix(count))
    let rest = bytes.dropFirst(count)
    if rest.isEmpty, !isCut { return }
    loop.later { [weak self] in self?.send(rest, isCut: isCut) }
  }

  /// Takes bytes of the gateway.
  func receive(_ bytes: [UInt8]) {
    guard !isClosed, patience != 0 else { return }
    var bytes = bytes
    if let patience {
      bytes = Array(bytes.prefix(patience))
      self.patience = patience - bytes.count
      // The gateway may be in the middle of something.
      if self.patience == 0 { loop.later { [weak self] in self?.close() } }
    }
    do {
      for event in try parser.append(bytes) { take(event) }
    } catch {
      Simulation.fail("a client got bytes that are no response: \(error)")
      close()
    }
  }

  private func take(_ event: ResponseParser.Event) {
    switch event {
    case .head(let status, let fields):
      head = (status, fields)
      guard status == 200, fields["content-type"] == "text/event-stream" else { return }
      let stream = ReceivedStream(of: self)
      self.stream = stream
      patience = nil
      finish(Answer(status: status, fields: fields, content: [], source: stream))
    case .content(let bytes): if let stream { stream.push(bytes) } else { content += bytes }
    case .end:
      if let stream { return stream.end() }
      guard let head else { return }
      finish(Answer(status: head.status, fields: head.fields, content: content, source: nil))
    }
  }

  private func finish(_ answer: Answer?) {
    let complete = complete
    self.complete = nil
    complete?(answer)
  }

  /// Goes on to take what is pushed.
  func resume() { if !isClosed { server.resume() } }

  /// Closes the connection.
  func close() {
    guard !isClosed else { return }
    server.close()
    didClose()
  }

  /// The connection has ended.
  func didClose() {
    guard !isClosed else { return }
    isClosed = true
    stream?.end()
    stream = nil
    finish(nil)
  }
}

/// An answer that stays open, as it comes out of the client's end.
///
/// `@unchecked Sendable`. Because it is used on its loop only.
private final class ReceivedStream: PushSource, @unchecked Sendable {
  private let client: ClientEnd
  private(set) var sink: (any PushSink)?
  private var waiting: [UInt8] = []
  private var hasEnded = false

  init(of client: ClientEnd) { self.client = client }

  func push(_ bytes: [UInt8]) {
    if let sink { sink.push(bytes) } else { waiting += bytes }
  }

  /// The answer has ended, or the connection.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    sink?.complete()
    client.close()
  }

  func start(_ sink: any PushSink) {
    self.sink = sink
    if !waiting.isEmpty { sink.push(waiting) }
    waiting = []
    if hasEnded { sink.complete() }
  }

  func resume() { client.resume() }
}
