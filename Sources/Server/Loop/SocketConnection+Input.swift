internal import GatehouseHTTP
internal import Glibc

extension SocketConnection {
  /// Goes on after others have had their turn.
  func takeTurn() {
    turn.begin(requests: loop.limits.limits.pipelinedRequests)
    advance()
  }

  /// Reads until there is a request to answer, or nothing left to read.
  func advance() {
    if isClosed || !turn.run() { return }
    handleInput()
    turn.pause()
    // With a request to answer its answer goes out along, unless that takes longer.
    if !answering.isWaiting { flush() } else if loop.isWriting(self) { postpone(.flush) }
  }

  private func handleInput() {
    while !isClosed, state.wantsBytes, !isFull, requestStream?.isFull != true {
      switch turn.next(hasUnread: unread.needsHandling, mayRead: input.mayHaveBytes) {
      case .parse: processUnread()
      case .read: receive()
      case .yield: return postpone(.advance)
      case .stop: return
      }
    }
  }

  private func processUnread() {
    let bytes = unread.bytes
    var position = unread.start
    bytes.withUnsafeBytes { process($0, at: &position) }
    unread.advance(to: position)
  }

  func receive() {
    let count = recv(descriptor, loop.input.baseAddress, loop.input.count, 0)
    guard count > 0 else { return receiveNothing(count) }
    // A short read has emptied the socket; what comes later is told anew. The end is told only once.
    if count < loop.input.count { input.didReadAll() }
    let bytes = UnsafeRawBufferPointer(rebasing: loop.input[..<count])
    if let session { decrypt(bytes, session) } else { take(bytes) }
  }

  /// Handles bytes that have come, and keeps those whose turn is later.
  func take(_ bytes: UnsafeRawBufferPointer) {
    if unread.needsHandling { return unread.append(bytes) }
    var position = 0
    process(bytes, at: &position)
    if position < bytes.count, !isClosed { unread.keep(bytes[position...]) }
  }

  func decrypt(_ bytes: UnsafeRawBufferPointer, _ session: TLSSession) {
    session.receive(bytes)
    let wasEstablished = session.isEstablished
    while !isClosed {
      switch session.read(into: loop.tls.plain) {
      case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: loop.tls.plain[..<count]))
      case .end:
        receiveEnd()
        return
      case .failure:
        flush()
        return close()
      case .needsBytes:
        if session.isEstablished, !wasEstablished { state.finishHandshake(now: loop.now) }
        return
      }
    }
  }

  func receiveNothing(_ result: Int) {
    if result < 0, errno == EINTR { return }
    if result < 0 {
      if errno != EAGAIN { return close() }
      return input.didReadNothing()
    }
    input.didReadEnd()
    receiveEnd()
  }

  func receiveEnd() {
    if case .contentFailure(let error) = state.receiveEnd() { requestStream?.fail(error) }
  }

  func process(_ bytes: UnsafeRawBufferPointer, at position: inout Int) {
    unread.isInterrupted = true
    while !isClosed {
      switch state.next(in: bytes, at: &position, using: &loop.heads, now: loop.now) {
      case .read, .hold:
        unread.isInterrupted = false
        return
      case .respond(let head, let content):
        respond(head, content)
        if !turn.takeRequest() { return }
      case .content(let range):
        exchange?.received += range.count
        requestStream?.append(Array(bytes[range]))
        if requestStream?.isFull == true {
          state.pauseContent()
          return
        }
      case .contentEnd: requestStream?.finish()
      case .contentFailure(let error): requestStream?.fail(error)
      case .refuse(let error): refuse(error, in: bytes)
      }
    }
  }
}
