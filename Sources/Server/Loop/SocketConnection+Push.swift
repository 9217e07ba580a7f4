internal import GatehouseHTTP

extension SocketConnection: PushSink {
  /// Keeps the response open; whoever answered the request is done.
  func open(_ source: any PushSource) {
    current.answer = .pushing(source)
    flush()
    if input.socket.hasHungUp { return close() }
    if !isClosed { source.start(self) }
  }

  var isBusy: Bool { !output.unsent.isEmpty }

  func push(_ bytes: [UInt8]) {
    if isClosed { return }
    loop.claimWriter(for: self)
    current.report?.sent += bytes.count
    state.write(bytes, into: &loop.buffers.writer)
    flush()
  }

  func complete() {
    guard case .pushing = current.answer else { return }
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.buffers.writer, now: loop.now)
    finishResponse()
  }

  func abort() { close() }
}
