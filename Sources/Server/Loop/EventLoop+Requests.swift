internal import GatehouseHTTP

extension EventLoop {
  /// Has the connection's request answered by a worker.
  func answerLater(_ request: consuming Request, of connection: SocketConnection) {
    waiting.append(WaitingRequest(connection: connection, request: request))
  }

  /// The next request, for a worker, which goes on with the batch's events to find it: an answer goes out before
  /// the next request is read.
  func nextToAnswer() -> WaitingRequest? {
    dropAbandoned()
    while waiting.isEmpty {
      guard handleEvent() else { return nil }
      dropAbandoned()
    }
    return waiting.removeLast()
  }

  /// Drops the requests in front of the next one whose connection is still there.
  private func dropAbandoned() {
    while let last = waiting.indices.last, waiting[last].connection.isClosed { waiting.removeLast() }
  }

  /// Whether the worker, which has nothing to do, is to wait for more.
  func keeps(_ worker: Worker) -> Bool {
    guard idleWorkers.count < Worker.idle, !life.isStopped else { return false }
    idleWorkers.append(worker)
    return true
  }

  /// Has the requests that wait answered, each by one worker more if the ones before must wait for something.
  func answer() {
    while !waiting.isEmpty {
      if let worker = idleWorkers.popLast() {
        worker.resume()
        _ = runJobs()
      } else {
        Worker(self).start()
      }
    }
  }

  // Output

  /// Makes sure that `writer` holds nobody else's output.
  func claimWriter(for connection: SocketConnection) {
    if writing === connection { return }
    writing?.flush()
    writing = connection
  }

  /// Whether `writer` may hold output of that connection.
  func isWriting(_ connection: SocketConnection) -> Bool { writing === connection }

  func releaseWriter() {
    writer.output.removeAll()
    writing = nil
  }

  /// Lets the connection go on once everything that is ready has been handled.
  func catchUpLater(_ connection: SocketConnection) {
    postponing.append(connection)
  }
}
