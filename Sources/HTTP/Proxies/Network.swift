/// A network in CIDR notation (RFC 4632 §3.1), such as `10.0.0.0/8`, or a single address.
public struct Network: Hashable, Sendable {
  /// IPv4 addresses are mapped (RFC 4291 §2.5.5.2).
  private let address: UInt128
  /// The bits that all its addresses share, of 128.
  private let length: Int

  /// Reads an address with or without a length. Nil: the text is neither, or names bits beyond the length.
  public init?(_ text: String) {
    let parts = Array(text.utf8).split(
      separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    let isIPv4 = !parts[0].contains(UInt8(ascii: ":"))
    let address =
      isIPv4
      ? AddressText.ipv4(parts[0]).map { 0xffff << 32 | UInt128($0) } : AddressText.ipv6(parts[0])
    let most = isIPv4 ? 32 : 128
    guard let address, let length = parts.count == 1 ? most : AddressText.decimal(parts[1], most: most) else {
      return nil
    }
    self.address = address
    self.length = length + 128 - most
    // A shift by 128 is 0.
    if address << UInt128(self.length) != 0 { return nil }
  }

  /// Whether the address is in the network. No network that is shorter than theirs has IPv4 addresses.
  func contains(_ peer: PeerAddress) -> Bool {
    guard let mapped = peer.mapped, length >= 96 || mapped >> 32 != 0xffff else { return false }
    return (mapped ^ address) >> UInt128(128 - length) == 0
  }
}

extension Network: CustomStringConvertible {
  /// The network as ``init(_:)`` reads it.
  public var description: String {
    let isIPv4 = address >> 32 == 0xffff && length >= 96
    return "\(PeerAddress(address, port: 0).address)/\(isIPv4 ? length - 96 : length)"
  }
}
