import GatehouseHTTP

extension PeerAddress {
  /// The number that limits per client go by: an IPv4 address, or a /64 network, which is what one IPv6 user has.
  var client: UInt64 {
    switch self {
    case .ipv4(let address, _): UInt64(address)
    case .ipv6(let high, _, _): high
    case .local: 0
    }
  }
}
