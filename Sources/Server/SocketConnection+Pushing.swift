internal import HTTP

/// Responses that a source pushes, whose request is answered with their head.
extension SocketConnection: PushSink {
  var isBusy: Bool { unsentCount > 0 }

  func push(_ bytes: [UInt8]) {
    if isClosed { return }
    loop.claimWriter(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.writer)
    flush()
  }

  func finish() {
    if isClosed || pushSource == nil { return }
    pushSource = nil
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.writer, now: loop.now)
    finishResponse()
  }

  func abort() { close() }

  /// Keeps the response open.
  func open(_ source: any PushSource) {
    pushSource = source
    flush()
    if !isClosed { source.start(self) }
  }
}
