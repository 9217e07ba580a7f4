internal import GatehouseHTTP

extension EventLoop {
  /// Has the connection's request answered by a task.
  func answerLater(_ request: consuming Request, of connection: SocketConnection) {
    work.waiting.append(WaitingRequest(connection: connection, request: request))
  }

  /// The next request, for a task, which goes on with the batch's events to find it: an answer goes out before
  /// the next request is read.
  func nextToAnswer() -> WaitingRequest? {
    dropAbandoned()
    while work.waiting.isEmpty {
      guard handleEvent() else { return nil }
      dropAbandoned()
    }
    return work.waiting.removeLast()
  }

  /// Drops the requests in front of the next one whose connection is still there.
  private func dropAbandoned() {
    while let last = work.waiting.indices.last, work.waiting[last].connection.isClosed {
      work.waiting.removeLast()
    }
  }

  /// Whether the task, which has nothing to do, is to wait for more.
  func keeps(_ task: RequestTask) -> Bool {
    guard work.idleTasks.count < RequestTask.idle, !life.isStopped else { return false }
    work.idleTasks.append(task)
    return true
  }

  /// Has the requests that wait answered, each by one task more if the ones before must wait for something.
  func answer() {
    while !work.waiting.isEmpty {
      if let task = work.idleTasks.popLast() {
        task.resume()
        _ = runJobs()
      } else {
        RequestTask(self).start()
      }
    }
  }

  // Output

  /// Makes sure that `writer` holds nobody else's output.
  func claimWriter(for connection: SocketConnection) {
    if buffers.writing === connection { return }
    buffers.writing?.flush()
    precondition(buffers.writer.output.isEmpty, "the output of a connection is sent to nobody else")
    buffers.writing = connection
  }

  /// Whether `writer` may hold output of that connection.
  func isWriting(_ connection: SocketConnection) -> Bool { buffers.writing === connection }

  func releaseWriter() {
    buffers.writer.output.removeAll()
    buffers.writing = nil
  }

  /// Lets the connection go on once everything that is ready has been handled.
  func catchUpLater(_ connection: SocketConnection) {
    work.postponing.append(connection)
  }
}
