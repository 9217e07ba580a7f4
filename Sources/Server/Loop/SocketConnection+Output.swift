internal import CGatehouseLinux
internal import GatehouseHTTP
internal import Glibc

extension SocketConnection {
  /// Takes a piece of the response; false when the client is gone.
  func write(_ bytes: [UInt8]) -> Bool {
    if isClosed { return false }
    loop.claimWriter(for: self)
    current.report?.sent += bytes.count
    state.write(bytes, into: &loop.buffers.writer)
    keepOutput()
    postpone(.flush)
    return true
  }

  /// Whether a producer must wait.
  var isFull: Bool { output.unsent.count > loop.limits.limits.bufferedOutput }

  /// Takes this connection's output out of the loop's writer.
  func keepOutput() {
    if let session {
      guard session.write(loop.buffers.writer.output.bytes) else { return close() }
      session.drain(into: &loop.buffers.tls.encrypted)
      output.unsent.append(loop.buffers.tls.encrypted.bytes)
      loop.buffers.tls.encrypted.removeAll()
    } else {
      output.unsent.append(loop.buffers.writer.output.bytes)
    }
    loop.releaseWriter()
  }

  /// Has a step done once everything that is ready has been handled.
  func postpone(_ step: PostponedStep) {
    if output.postponed.postpone(step) { loop.catchUpLater(self) }
  }

  /// Does what was postponed.
  func catchUp() {
    switch output.postponed.take() {
    case .advance: takeTurn()
    case .flush: flush()
    case .nothing: break
    }
  }

  /// Sends what there is, in one write if the socket takes it.
  func flush() {
    if isClosed { return }
    if !output.unsent.isEmpty || session != nil {
      loop.claimWriter(for: self)
      keepOutput()
      if !output.unsent.isEmpty { flushUnsent() }
    } else if loop.isWriting(self) {
      flushWriter()
    }
    if !isClosed, output.unsent.isEmpty, state.isFinished { finish() }
    if !output.retained.isEmpty, output.unsent.isEmpty, !loop.isWriting(self) { output.retained = [] }
  }

  func flushWriter() {
    let (start, content) = (loop.buffers.writer.output.start, loop.buffers.writer.output.content)
    if loop.buffers.writer.output.isEmpty { return }
    let count = content.isEmpty ? send(start) : content.withUnsafeBytes { send(start, $0) }
    if count < 0 { return }
    if count < loop.buffers.writer.output.count {
      let (bytes, start) = loop.buffers.writer.output.rest(from: count)
      output.unsent = UnsentBytes(bytes, from: start)
      state.wrotePart(count, now: loop.now)
    }
    loop.releaseWriter()
  }

  func flushUnsent() {
    let count = output.unsent.withUnsafeBytes { send($0) }
    if count < 0 { return }
    output.unsent.removeFirst(count)
    if !output.unsent.isEmpty { return state.wrotePart(count, now: loop.now) }
    state.wroteAll(now: loop.now)
    let waiting = current.answer
    waiting.resume()
    // Requests may have waited for room.
    takeTurn()
  }

  /// Sends bytes; returns how many the socket has taken, -1 when the connection is gone.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    untilUninterrupted { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  /// Sends two stretches of bytes as one; returns how many the socket has taken, -1 when the connection is gone.
  func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
    withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
      parts[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
      parts[1] = iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
      var message = msghdr()
      message.msg_iov = parts.baseAddress
      message.msg_iovlen = 2
      return untilUninterrupted { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) }
    }
  }

  /// Repeats the attempt to send as long as a signal comes first.
  private func untilUninterrupted(_ attempt: () -> Int) -> Int {
    while true {
      let count = attempt()
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return 0
      default:
        close()
        return -1
      }
    }
  }
}
