internal import Glibc
internal import HTTP

extension SocketConnection {
  /// Goes on after others have had their turn.
  func takeTurn() {
    turnRequests = loop.limits.limits.pipelinedRequests
    advance()
  }

  /// Reads until there is a request to answer, or nothing left to read.
  func advance() {
    if isAdvancing || isClosed { return }
    isAdvancing = true
    var reads = Self.readsPerTurn
    while !isClosed, state.wantsBytes, !isFull, requestStream?.isFull != true {
      if turnRequests <= 0 || reads == 0 {
        // Others have their turn first.
        mustAdvance = true
        catchUpLater()
        break
      }
      if hasStoppedEarly || unreadStart < unread.count {
        processUnread()
      } else if isReadable {
        reads -= 1
        receive()
      } else {
        break
      }
    }
    isAdvancing = false
    // With a request to answer its answer goes out along, unless that takes longer.
    if !hasRequest { flush() } else if loop.isWriting(self) { catchUpLater() }
  }

  func processUnread() {
    let bytes = unread
    bytes.withUnsafeBytes { process($0, at: &unreadStart) }
    if unreadStart == unread.count {
      unread = []
      unreadStart = 0
    }
  }

  func receive() {
    let count = recv(descriptor, loop.input.baseAddress, loop.input.count, 0)
    guard count > 0 else { return receiveNothing(count) }
    // A short read has emptied the socket; what comes later is told anew. The end is told only once.
    if count < loop.input.count, !hasHungUp { isReadable = false }
    let bytes = UnsafeRawBufferPointer(rebasing: loop.input[..<count])
    if let session { decrypt(bytes, session) } else { take(bytes) }
  }

  /// Handles bytes that have come, and keeps those whose turn is later.
  func take(_ bytes: UnsafeRawBufferPointer) {
    if hasStoppedEarly || unreadStart < unread.count {
      unread.append(contentsOf: bytes)
      return
    }
    var position = 0
    process(bytes, at: &position)
    if position < bytes.count, !isClosed {
      unread = Array(bytes[position...])
      unreadStart = 0
    }
  }

  func decrypt(_ bytes: UnsafeRawBufferPointer, _ session: TLSSession) {
    session.receive(bytes)
    let wasEstablished = session.isEstablished
    while !isClosed {
      switch session.read(into: loop.plain) {
      case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: loop.plain[..<count]))
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
    isReadable = false
    if result < 0 {
      if errno != EAGAIN { close() }
      return
    }
    hasHungUp = true
    receiveEnd()
  }

  func receiveEnd() {
    if case .contentFailure(let error) = state.receiveEnd() { requestStream?.fail(error) }
  }

  func process(_ bytes: UnsafeRawBufferPointer, at position: inout Int) {
    hasStoppedEarly = true
    while !isClosed {
      switch state.next(in: bytes, at: &position, using: &loop.heads, now: loop.now) {
      case .read, .hold:
        hasStoppedEarly = false
        return
      case .respond(let head, let content):
        respond(head, content)
        turnRequests -= 1
        if turnRequests == 0 { return }
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
