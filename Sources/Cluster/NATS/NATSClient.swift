internal import GatehouseTelemetry
internal import Synchronization

/// The way to any one of several NATS servers: makes a new connection where the last one has ended.
final class NATSClient: Sendable {
  fileprivate struct State {
    var connection: NATSConnection?
    var addresses: [ServerAddress]
    /// The address that is tried next.
    var next = 0
    var isClosed = false
  }

  private let options: NATSOptions
  private let context: TLSClientContext?
  private let state: Mutex<State>

  init(_ options: NATSOptions) {
    precondition(!options.addresses.isEmpty, "a log has servers")
    self.options = options
    context = TLSClientContext(authorities: options.authorities)
    state = Mutex(State(addresses: options.addresses))
  }

  /// Returns the connection that is open, or opens one to the first server that answers, while there is time. Throws ``LogError``.
  ///
  /// - Parameter deadline: On the monotonic clock, in nanoseconds.
  func connection(until deadline: UInt64) throws(LogError) -> NATSConnection {
    let (open, addresses, isClosed) = state.withLock { state in
      (state.connection.flatMap { $0.isOpen ? $0 : nil }, state.rotated, state.isClosed)
    }
    guard !isClosed else { throw .closed }
    if let open { return open }
    var error = LogError.unavailable
    for address in addresses {
      // At least one server is tried.
      if address != addresses[0], MonotonicClock.now() >= deadline { break }
      state.withLock { $0.next += 1 }
      switch connect(address) {
      case .success(let connection): return take(connection)
      case .failure(.unauthorized): error = .unauthorized
      case .failure: break
      }
    }
    throw error
  }

  private func connect(_ address: ServerAddress) -> Result<NATSConnection, LogError> {
    do throws(LogError) {
      return .success(try NATSConnection(address, options: options, context: context))
    } catch { return .failure(error) }
  }

  /// Keeps a connection, unless another thread has made one meanwhile.
  private func take(_ new: NATSConnection) -> NATSConnection {
    let (kept, surplus) = state.withLock { state -> (NATSConnection, NATSConnection?) in
      if let connection = state.connection, connection.isOpen { return (connection, new) }
      state.connection = new
      // The first ones stay: the others may be known by names that mean nothing here.
      let found = new.addresses.filter { !options.addresses.contains($0) }
      state.addresses = options.addresses + found
      return (new, state.isClosed ? new : nil)
    }
    surplus?.close()
    return kept
  }

  /// How long the log may not answer by a server before another one is asked: that server may be cut off from the others.
  private static let confirmationLimit: Duration = .seconds(2)

  /// Gives a connection up by which the log has not answered, where its server is silent, or the log has been for some time: the next one goes
  /// to another server.
  func doubt(_ connection: NATSConnection) {
    if !connection.isConfirmed(within: NATSClient.confirmationLimit)
      || !connection.isAlive(limit: .milliseconds(300))
    {
      connection.close()
    }
  }

  func close() {
    let connection = state.withLock { state in
      state.isClosed = true
      return state.connection
    }
    connection?.close()
  }
}

extension NATSClient.State {
  /// The addresses, the next one first.
  fileprivate var rotated: [ServerAddress] {
    let first = next % addresses.count
    return Array(addresses[first...] + addresses[..<first])
  }
}
