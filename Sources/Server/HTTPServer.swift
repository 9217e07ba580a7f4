internal import Dispatch
public import GatehouseHTTP
internal import Glibc
internal import Synchronization

/// Listens, and answers requests on event loops.
public final class HTTPServer: Sendable {
  private struct State {
    var loops: [EventLoop] = []
    var addresses: [SocketAddress] = []
    var contexts: TLSContextHolder?
  }

  private let configuration: Configuration
  private let makeHandler: @Sendable (_ loopIndex: Int) throws -> any Handler
  private let admission: Admission
  private let state = Mutex(State())

  /// `makeHandler` is called once for each event loop.
  public init(
    configuration: Configuration,
    makeHandler: @escaping @Sendable (_ loopIndex: Int) throws -> any Handler
  ) {
    self.configuration = configuration
    self.makeHandler = makeHandler
    admission = Admission(
      limit: configuration.connections, limitPerClient: configuration.connectionsPerAddress)
  }

  /// Where the server listens, with the ports that were chosen where none was asked for.
  public var boundAddresses: [SocketAddress] { state.withLock(\.addresses) }

  /// The first of ``boundAddresses``.
  public var boundAddress: SocketAddress? { boundAddresses.first }

  /// Connections that are open.
  public var connectionCount: Int { admission.count }

  /// Listens and begins to answer. Throws ``ServerError``, or what making a handler throws.
  public func start() throws {
    // A client that leaves is an error of `write`, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let contexts = try configuration.certificate.map { try TLSContextHolder(TLSContext($0)) }
    let loops = try makeLoops()
    var listeners = Listeners(loopCount: loops.count, backlog: configuration.backlog)
    try listeners.open(configuration, contexts: contexts)
    for (loop, acceptors) in zip(loops, listeners.acceptors) { try loop.start(acceptors) }
    state.withLock { state in
      state.loops = loops
      state.addresses = listeners.addresses
      state.contexts = contexts
    }
  }

  /// Reads the certificate's files again; connections that are open keep what they have. Throws
  /// ``ServerError`` and changes nothing when the files are of no use.
  public func reloadCertificate() throws {
    guard let certificate = configuration.certificate else { return }
    let context = try TLSContext(certificate)
    state.withLock(\.contexts)?.context = context
  }

  private func makeLoops() throws -> [EventLoop] {
    try (0..<configuration.effectiveLoopCount).map { index in
      try EventLoop(
        index: index, configuration: configuration, handler: try makeHandler(index), admission: admission)
    }
  }

  /// Stops to accept, lets the requests that are being answered finish, closes the rest, and returns when all
  /// is closed; what is not done by the deadline is cut off.
  public func shutdown(deadline: Duration) async {
    let loops = state.withLock { state in
      let loops = state.loops
      state.loops = []
      return loops
    }
    await withTaskGroup { group in
      for loop in loops { group.addTask { await Self.shutDown(loop, deadline) } }
    }
  }

  private static func shutDown(_ loop: EventLoop, _ deadline: Duration) async {
    await withTaskGroup { group in
      group.addTask {
        await withUnsafeContinuation { done in
          loop.execute { loop.drain { done.resume() } }
        }
      }
      group.addTask {
        try? await Task.sleep(for: deadline)
        await withUnsafeContinuation { done in
          loop.execute {
            loop.stop()
            done.resume()
          }
        }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
