/// Where a connection comes from.
public enum PeerAddress: Hashable, Sendable {
  /// In host byte order.
  case ipv4(UInt32, port: UInt16)
  /// The first and the last eight bytes, in host byte order.
  case ipv6(UInt64, UInt64, port: UInt16)
  /// A Unix-domain socket, or a request that no socket brought.
  case local
}

extension PeerAddress: CustomStringConvertible {
  /// The address without the port; `local` where there is none.
  public var address: String {
    switch self {
    case .ipv4(let address, _):
      [24, 16, 8, 0].map { String(address >> UInt32($0) & 0xff) }.joined(separator: ".")
    case .ipv6(let high, let low, _): Self.groups(high, low)
    case .local: "local"
    }
  }

  /// The address and port, as in `127.0.0.1:80` and `[::1]:80`; `local` where there is none.
  public var description: String {
    switch self {
    case .ipv4(_, let port): "\(address):\(port)"
    case .ipv6(_, _, let port): "[\(address)]:\(port)"
    case .local: "local"
    }
  }

  /// RFC 5952: the longest run of zero groups is left out, the first one of equals.
  private static func groups(_ high: UInt64, _ low: UInt64) -> String {
    let groups = [high, low].flatMap { half in [48, 32, 16, 0].map { half >> UInt64($0) & 0xffff } }
    var longest = 0..<0
    var start = 0
    for index in 0...8 where index == 8 || groups[index] != 0 {
      if index - start > max(longest.count, 1) { longest = start..<index }
      start = index + 1
    }
    let text = { (part: ArraySlice<UInt64>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
    if longest.isEmpty { return text(groups[...]) }
    return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
  }
}
