/// The header of the PROXY protocol, with which a proxy begins a connection to say for whom it is
/// (haproxy, doc/proxy-protocol.txt, §2).
///
///     version 1   PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n
///                 PROXY UNKNOWN…\r\n
///     version 2   ┌────────────┬─────────────────┬──────────────────┬────────┬───────────┐
///                 │ signature  │ version,command │ family,transport │ length │ addresses │
///                 │ 12 bytes   │ 4 bits each     │ 4 bits each      │ 2      │ `length`  │
///                 └────────────┴─────────────────┴──────────────────┴────────┴───────────┘
public enum ProxyHeader: Hashable, Sendable {
  /// The header has not come whole.
  case needsBytes
  /// The bytes are no header, or one that breaks a rule.
  case malformed
  /// The client, nil where the proxy speaks for itself or does not know, and the bytes that the header takes.
  case complete(client: PeerAddress?, length: Int)

  private static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  private static let prefix = Array("PROXY ".utf8)
  /// The longest header of version 1, its line end included.
  private static let longestLine = 107
  /// The longest header of version 2 that is taken: addresses, and extensions that are passed over.
  private static let longest = 4_096

  /// Reads the header that `bytes` begin with.
  public init(_ bytes: [UInt8]) {
    if bytes.starts(with: Self.signature.prefix(bytes.count)) {
      self = Self.binary(bytes)
    } else if bytes.starts(with: Self.prefix.prefix(bytes.count)) {
      self = Self.line(bytes)
    } else {
      self = .malformed
    }
  }

  private static func line(_ bytes: [UInt8]) -> ProxyHeader {
    guard let end = bytes.prefix(longestLine).firstIndex(of: 0x0A) else {
      return bytes.count < longestLine ? .needsBytes : .malformed
    }
    guard bytes[end - 1] == 0x0D else { return .malformed }
    let words = bytes[..<(end - 1)].split(separator: 0x20, omittingEmptySubsequences: false)
    let family = String(decoding: words[1], as: UTF8.self)
    if family == "UNKNOWN" { return .complete(client: nil, length: end + 1) }
    guard words.count == 6, let port = AddressText.decimal(words[4], most: 65_535),
      AddressText.decimal(words[5], most: 65_535) != nil
    else { return .malformed }
    switch family {
    case "TCP4":
      guard let address = AddressText.ipv4(words[2]), AddressText.ipv4(words[3]) != nil else {
        return .malformed
      }
      return .complete(client: .ipv4(address, port: UInt16(port)), length: end + 1)
    case "TCP6":
      guard let address = AddressText.ipv6(words[2]), AddressText.ipv6(words[3]) != nil else {
        return .malformed
      }
      return .complete(client: PeerAddress(address, port: UInt16(port)), length: end + 1)
    default: return .malformed
    }
  }

  private static func binary(_ bytes: [UInt8]) -> ProxyHeader {
    guard bytes.count >= 16 else { return .needsBytes }
    let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
    guard bytes[12] >> 4 == 2, bytes[12] & 0xf <= 1, length <= longest else { return .malformed }
    guard bytes.count >= length else { return .needsBytes }
    // The command LOCAL: a health check of the proxy's own.
    if bytes[12] & 0xf == 0 { return .complete(client: nil, length: length) }
    let number = { (range: Range<Int>) in bytes[range].reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
    switch bytes[13] {
    // TCP over IPv4: both addresses, both ports.
    case 0x11:
      guard length >= 28 else { return .malformed }
      let address = UInt32(number(16..<20))
      return .complete(client: .ipv4(address, port: UInt16(number(24..<26))), length: length)
    // TCP over IPv6.
    case 0x21:
      guard length >= 52 else { return .malformed }
      return .complete(
        client: PeerAddress(number(16..<32), port: UInt16(number(48..<50))), length: length)
    // Unix-domain sockets, and what is yet to come: the proxy's address stays (§2.2).
    default: return .complete(client: nil, length: length)
    }
  }
}
