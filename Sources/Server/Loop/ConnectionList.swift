/// The connections of a loop, and where they come from.
struct ConnectionList {
  /// Counts them in and out, with those of all loops.
  let admission: Admission
  var acceptors: [Acceptor] = []
  private(set) var open: [SocketConnection] = []
  /// Closed connections, kept until no event of the current batch can name them.
  private var closed: [SocketConnection] = []

  init(admission: Admission) {
    self.admission = admission
  }

  mutating func append(_ connection: SocketConnection) {
    precondition(connection.index == nil, "a connection is in the list once")
    connection.index = open.count
    open.append(connection)
  }

  /// Keeps a connection that was closed for the rest of the batch; false: it was never open.
  mutating func remove(_ connection: SocketConnection) -> Bool {
    closed.append(connection)
    guard let index = connection.index else { return false }
    precondition(open[index] === connection, "a connection knows its place")
    open.swapAt(index, open.count - 1)
    open[index].index = index
    open.removeLast()
    connection.index = nil
    return true
  }

  /// Lets go of the connections that were closed: the batch is over.
  mutating func releaseClosed() {
    if !closed.isEmpty { closed.removeAll(keepingCapacity: true) }
  }
}
