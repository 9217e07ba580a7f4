internal import CLinux
internal import Glibc
internal import HTTP

extension SocketConnection {
  /// Takes a piece of the response; false when the client is gone.
  func write(_ bytes: [UInt8]) -> Bool {
    if isClosed { return false }
    loop.claimWriter(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.writer)
    keepOutput()
    catchUpLater()
    return true
  }

  /// Whether a producer must wait.
  var isFull: Bool { unsentCount > loop.limits.limits.bufferedOutput }

  /// Takes this connection's output out of the loop's writer.
  func keepOutput() {
    if let session {
      guard session.write(loop.writer.output.bytes) else { return close() }
      session.drain(into: &loop.encrypted.output)
      unsent.append(contentsOf: loop.encrypted.output.bytes)
      loop.encrypted.output.removeAll()
    } else {
      unsent.append(contentsOf: loop.writer.output.bytes)
    }
    loop.releaseWriter()
  }

  func catchUpLater() {
    if isCatchUpScheduled { return }
    isCatchUpScheduled = true
    loop.catchUpLater(self)
  }

  /// Does what had to wait until everything that was ready had been handled.
  func catchUp() {
    isCatchUpScheduled = false
    if mustAdvance {
      mustAdvance = false
      takeTurn()
    } else {
      flush()
    }
  }

  /// Sends what there is, in one write if the socket takes it.
  func flush() {
    if isClosed { return }
    if unsentCount > 0 || session != nil {
      loop.claimWriter(for: self)
      keepOutput()
      if unsentCount > 0 { flushUnsent() }
    } else if loop.isWriting(self) {
      flushWriter()
    }
    if !isClosed, unsentCount == 0, state.isFinished { finish() }
  }

  func flushWriter() {
    let (start, content) = (loop.writer.output.start, loop.writer.output.content)
    if loop.writer.output.isEmpty { return }
    let count = content.isEmpty ? send(start) : content.withUnsafeBytes { send(start, $0) }
    if count < 0 { return }
    if count < loop.writer.output.count {
      (unsent, unsentStart) = loop.writer.output.rest(from: count)
      state.wrotePart(count, now: loop.now)
    }
    loop.releaseWriter()
  }

  func flushUnsent() {
    let count = unsent.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[unsentStart...])) }
    if count < 0 { return }
    unsentStart += count
    if unsentCount > 0 { return state.wrotePart(count, now: loop.now) }
    unsent = []
    unsentStart = 0
    state.wroteAll()
    responseStream?.resume()
    pushSource?.resume()
    // Requests may have waited for room.
    takeTurn()
  }

  /// How much the socket has taken; -1 when the connection is gone.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    send { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  /// How much the socket has taken of two stretches, which go out as one; -1 when the connection is gone.
  func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
    withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
      parts[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
      parts[1] = iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
      var message = msghdr()
      message.msg_iov = parts.baseAddress
      message.msg_iovlen = 2
      return send { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) }
    }
  }

  /// Sends again when a signal came first.
  private func send(_ attempt: () -> Int) -> Int {
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
