/// Opens the sockets of a server and gives each loop its acceptors.
struct Listeners {
  /// For each loop.
  private(set) var acceptors: [[Acceptor]]
  /// As they were asked for, with ports where none was: plain ones, secure ones, activated ones.
  private(set) var addresses: [SocketAddress] = []
  private let backlog: Int32

  init(loopCount: Int, backlog: Int32) {
    acceptors = Array(repeating: [], count: loopCount)
    self.backlog = backlog
  }

  mutating func open(_ configuration: Configuration, contexts: TLSContextHolder?) throws(ServerError) {
    for address in configuration.addresses { try open(address, contexts: nil) }
    for address in configuration.secureAddresses {
      try open(address, contexts: Self.required(contexts))
    }
    for socket in configuration.sockets {
      let contexts = socket.isSecure ? try Self.required(contexts) : nil
      add(shared: try ListeningSocket(activated: socket), contexts: contexts)
    }
  }

  private static func required(_ contexts: TLSContextHolder?) throws(ServerError) -> TLSContextHolder {
    guard let contexts else { throw ServerError.missingCertificate }
    return contexts
  }

  private mutating func open(_ address: SocketAddress, contexts: TLSContextHolder?) throws(ServerError) {
    try ListeningSocket.probe(address)
    let first = try ListeningSocket(address, backlog: backlog)
    if first.isShared { return add(shared: first, contexts: contexts) }
    addresses.append(first.address)
    acceptors[0].append(Acceptor(first, contexts: contexts))
    for index in acceptors.indices.dropFirst() {
      let socket = try ListeningSocket(first.address, backlog: backlog)
      acceptors[index].append(Acceptor(socket, contexts: contexts))
    }
  }

  private mutating func add(shared socket: ListeningSocket, contexts: TLSContextHolder?) {
    addresses.append(socket.address)
    for index in acceptors.indices { acceptors[index].append(Acceptor(socket, contexts: contexts)) }
  }
}
