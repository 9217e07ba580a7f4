/// Reads IP addresses: dotted decimals, RFC 4291 §2.2, and both with ports as proxies write them.
enum AddressText {
  /// The longest text of an IPv6 address, as in `INET6_ADDRSTRLEN` without its zero.
  private static let longest = 45

  /// Reads four decimal numbers without leading zeros.
  static func ipv4(_ text: ArraySlice<UInt8>) -> UInt32? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard let byte = decimal(part, most: 255) else { return nil }
      address = address << 8 | UInt32(byte)
    }
    return address
  }

  /// Reads eight groups, of which `::` stands for one or more that are zero; without a zone.
  static func ipv6(_ text: ArraySlice<UInt8>) -> UInt128? {
    guard text.count <= longest else { return nil }
    let colon = UInt8(ascii: ":")
    let gap = text.indices.first { $0 + 1 < text.endIndex && text[$0] == colon && text[$0 + 1] == colon }
    guard let gap else {
      guard let groups = groups(text), groups.count == 8 else { return nil }
      return address(groups)
    }
    guard let head = groups(text[..<gap]), let tail = groups(text[(gap + 2)...]),
      head.count + tail.count < 8, !text[..<gap].contains(UInt8(ascii: "."))
    else { return nil }
    return address(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
  }

  private static func address(_ groups: [UInt16]) -> UInt128 {
    groups.reduce(0) { $0 << 16 | UInt128($1) }
  }

  /// Reads groups with colons between them, of which the last two may be an IPv4 address.
  private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for part in parts {
      if part.endIndex == text.endIndex, let address = ipv4(part) {
        groups += [UInt16(address >> 16), UInt16(address & 0xffff)]
      } else {
        guard (1...4).contains(part.count), let group = hexadecimal(part) else { return nil }
        groups.append(group)
      }
    }
    return groups
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt16? {
    var number: UInt16 = 0
    for digit in digits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
      default: return nil
      }
      number = number << 4 | UInt16(value)
    }
    return number
  }

  /// Reads a number without sign and leading zeros.
  static func decimal(_ digits: ArraySlice<UInt8>, most: Int) -> Int? {
    guard (1...5).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
      return nil
    }
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number <= most ? number : nil
  }
}

extension PeerAddress {
  /// The IPv6 address, or the IPv4 address that `::ffff:0:0/96` maps (RFC 4291 §2.5.5.2).
  init(_ address: UInt128, port: UInt16) {
    if address >> 32 == 0xffff {
      self = .ipv4(UInt32(truncatingIfNeeded: address), port: port)
    } else {
      self = .ipv6(UInt64(address >> 64), UInt64(truncatingIfNeeded: address), port: port)
    }
  }

  /// The address as an IPv6 address, IPv4 ones mapped; nil for ``local``.
  var mapped: UInt128? {
    switch self {
    case .ipv4(let address, _): 0xffff << 32 | UInt128(address)
    case .ipv6(let high, let low, _): UInt128(high) << 64 | UInt128(low)
    case .local: nil
    }
  }

  /// Reads a node as RFC 7239 §6 has it, or as X-Forwarded-For does: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80`,
  /// `2001:db8::1`. Nil for `unknown`, obfuscated names and whatever else is no address. An obfuscated port (`_p`) is 0.
  init?(node: ArraySlice<UInt8>) {
    let colon = UInt8(ascii: ":")
    if node.first == UInt8(ascii: "["), let end = node.firstIndex(of: UInt8(ascii: "]")) {
      guard let address = AddressText.ipv6(node[(node.startIndex + 1)..<end]),
        let port = Self.port(node[(end + 1)...])
      else { return nil }
      self.init(address, port: port)
    } else if let first = node.firstIndex(of: colon), first != node.lastIndex(of: colon) {
      guard let address = AddressText.ipv6(node) else { return nil }
      self.init(address, port: 0)
    } else {
      let end = node.firstIndex(of: colon) ?? node.endIndex
      guard let address = AddressText.ipv4(node[..<end]), let port = Self.port(node[end...]) else {
        return nil
      }
      self = .ipv4(address, port: port)
    }
  }

  /// Reads a port behind its colon; 0 where there is nothing.
  private static func port(_ text: ArraySlice<UInt8>) -> UInt16? {
    if text.isEmpty { return 0 }
    let digits = text.dropFirst()
    guard text.first == UInt8(ascii: ":") else { return nil }
    if digits.count > 1, digits.first == UInt8(ascii: "_") { return 0 }
    return AddressText.decimal(digits, most: 65_535).map { UInt16($0) }
  }
}
