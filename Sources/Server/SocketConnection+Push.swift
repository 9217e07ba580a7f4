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
    loop.claimWriter(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.writer)
    flush()
  }

  func complete() {
    if isClosed || pushSource == nil { return }
    pushSource = nil
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.writer, now: loop.now)
    finishResponse()
  }

  func abort() { close() }
}
