/// The proxies that are believed when they say for whom they ask.
public struct TrustedProxies: Hashable, Sendable {
  public var networks: [Network]
  /// Whether whoever connects by a Unix-domain socket is one.
  public var includesLocal: Bool

  public init(_ networks: [Network] = [], includesLocal: Bool = false) {
    self.networks = networks
    self.includesLocal = includesLocal
  }

  public var isEmpty: Bool { networks.isEmpty && !includesLocal }

  /// Whether the address is that of a proxy that is believed.
  public func trusts(_ peer: PeerAddress) -> Bool {
    peer == .local ? includesLocal : networks.contains { $0.contains(peer) }
  }

  /// Returns the client that a proxy at `peer` asks for: of the addresses that proxies have added, each to the right of
  /// those before, the last one that is no trusted proxy. What stands left of it could be anybody's invention. Where that
  /// entry names no address (`unknown`, `_name`), or the field is malformed, it is the proxy next to it.
  ///
  /// By `Forwarded`, else by `X-Forwarded-For`. Where they name two, one of them is the client's own, which a proxy that
  /// knows the other only has passed on: neither counts.
  public func client(of fields: Fields, from peer: PeerAddress) -> PeerAddress {
    let forwarded = fields["forwarded"].map { client(ForwardedReader.nodes(in: $0) ?? [], from: peer) }
    let listed = fields["x-forwarded-for"].map { client(Self.nodes(in: $0), from: peer) }
    guard let forwarded, let listed else { return forwarded ?? listed ?? peer }
    return forwarded.mapped == listed.mapped ? forwarded : peer
  }

  private func client(_ nodes: [PeerAddress?], from peer: PeerAddress) -> PeerAddress {
    var client = peer
    for node in nodes.reversed() {
      guard let node else { break }
      client = node
      if !trusts(node) { break }
    }
    return client
  }

  private static func nodes(in text: String) -> [PeerAddress?] {
    Array(text.utf8).split(separator: UInt8(ascii: ",")).compactMap { part -> PeerAddress?? in
      let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
      guard let first = part.firstIndex(where: { !isSpace($0) }),
        let last = part.lastIndex(where: { !isSpace($0) })
      else { return nil }
      return .some(PeerAddress(node: part[first...last]))
    }
  }
}
