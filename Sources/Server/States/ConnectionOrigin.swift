internal import GatehouseHTTP

/// For whom a connection's requests are, where proxies are believed that say so.
///
///     awaits a header ──PROXY header──▶ known        another peer ──▶ known
///            └──anything else──▶ to be closed
struct ConnectionOrigin {
  /// The peer, or the client that the PROXY header names.
  private(set) var client: PeerAddress
  /// Whether that is a proxy, which is believed when a request's fields name another client.
  private(set) var isProxy: Bool
  /// The beginning of the PROXY header; nil: none is awaited.
  private var header: [UInt8]?

  init(_ peer: PeerAddress, proxies: TrustedProxies, takesHeader: Bool) {
    client = peer
    isProxy = !proxies.isEmpty && proxies.trusts(peer)
    header = isProxy && takesHeader ? [] : nil
  }

  /// Whether the next bytes belong to the header of the PROXY protocol.
  var awaitsHeader: Bool { header != nil }

  /// Takes bytes of the header; returns where in `bytes` those of the connection itself begin. Nil: it is no header.
  mutating func takeHeader(from bytes: UnsafeRawBufferPointer, proxies: TrustedProxies) -> Int? {
    guard var header = header.take() else { return 0 }
    let before = header.count
    header.append(contentsOf: bytes)
    switch ProxyHeader(header) {
    case .malformed: return nil
    case .needsBytes:
      self.header = header
      return bytes.count
    case .complete(let client, let length):
      if let client {
        self.client = client
        isProxy = proxies.trusts(client)
      }
      precondition(length >= before && length <= header.count, "a header ends in what came last of it")
      return length - before
    }
  }
}
