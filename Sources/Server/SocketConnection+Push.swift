internal import HTTP

extension SocketConnection: PushSink {
  /// Keeps the response open; whoever answered the request is done.
  func open(_ source: any PushSource) {
    pushSource = source
    flush()
    if !isClosed { source.start(self) }
  }

  var isBusy: Bool { unsentCount > 0 }

  func push(_ bytes: [UInt8]) {
    if isClosed { return }
    loop.claimOutput(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.outbox.writer)
    flush()
  }

  func complete() {
    if isClosed || pushSource == nil { return }
    pushSource = nil
    loop.claimOutput(for: self)
    state.finishResponse(into: &loop.outbox.writer, now: loop.now)
    finishResponse()
  }

  func abort() { close() }
}
