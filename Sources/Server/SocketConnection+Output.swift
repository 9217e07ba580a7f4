internal import CLinux
internal import Glibc
internal import HTTP

extension SocketConnection {
  /// Takes a piece of the response; false when the client is gone.
  func write(_ bytes: [UInt8]) -> Bool {
    if isClosed { return false }
    loop.claimOutput(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.outbox.writer)
    keepOutput()
    catchUpLater()
    return true
  }

  /// Whether a producer must wait.
  var isFull: Bool { unsentCount > loop.limits.limits.bufferedOutput }

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
    } else if partCount == 0 {
      flush()
    }
  }

  /// Sends what there is at once, in one write if the socket takes it.
  func flush() {
    if isClosed { return }
    if partCount == 0 {
      if session != nil { keep(UnsafeRawBufferPointer(start: nil, count: 0)) }
      flushUnsent()
    } else if isOutputCurrent {
      sendOrKeep(loop.outbox.currentBytes)
      if isClosed { return }
      loop.outbox.dropCurrent()
      flushUnsent()
    } else {
      loop.sendOutput()
    }
    finishIfDone()
  }

  /// Sends a part of the loop's outbox.
  func sendPart(_ bytes: UnsafeRawBufferPointer) {
    if isClosed { return }
    sendOrKeep(bytes)
    flushUnsent()
    finishIfDone()
  }

  /// Whether all of its output in the loop's outbox is the current part.
  private var isOutputCurrent: Bool { partCount == 1 && loop.outbox.isCurrent(self) }

  private func finishIfDone() {
    if !isClosed, unsentCount == 0, partCount == 0, state.isFinished { finish() }
  }

  /// Takes this connection's output out of the loop's outbox.
  private func keepOutput() {
    if !isOutputCurrent { return flush() }
    keep(loop.outbox.currentBytes)
    if !isClosed { loop.outbox.dropCurrent() }
  }

  /// Sends bytes of which the socket may take a part; behind others they wait.
  private func sendOrKeep(_ bytes: UnsafeRawBufferPointer) {
    guard session == nil, unsentCount == 0 else { return keep(bytes) }
    if bytes.isEmpty { return }
    let count = send(bytes)
    if count < 0 || count == bytes.count { return }
    unsent = Array(bytes[count...])
    state.wrotePart(count, now: loop.now)
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) {
    guard let session else { return unsent.append(contentsOf: bytes) }
    guard session.write(bytes) else { return close() }
    session.drain(into: &loop.encrypted.output)
    unsent.append(contentsOf: loop.encrypted.output.bytes)
    loop.encrypted.output.removeAll()
  }

  private func flushUnsent() {
    if isClosed || unsentCount == 0 { return }
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
    if mayHaveInput {
      mustAdvance = true
      catchUpLater()
    }
  }

  /// How much the socket has taken; -1 when the connection is gone.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
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
