internal import GatehouseHTTP

extension SocketConnection: PushSink {
  /// Keeps the response open; whoever answered the request is done.
  func open(_ source: any PushSource) {
    answering = .pushing(source)
    flush()
    if input.hasHungUp { return close() }
    if !isClosed { source.start(self) }
  }

  var isBusy: Bool { !unsent.isEmpty }

  func push(_ bytes: [UInt8]) {
    if isClosed { return }
    loop.claimWriter(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.writer)
    flush()
  }

  func complete() {
    guard case .pushing = answering else { return }
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.writer, now: loop.now)
    finishResponse()
  }

  func abort() { close() }
}
