internal import Glibc

/// Addresses that begin alike, in CIDR notation (RFC 4632, RFC 4291 §2.3).
public struct AddressRange: Hashable, Sendable {
  /// The first address, of 4 bytes or of 16.
  let bytes: [UInt8]
  let bits: Int

  /// `10.0.0.0/8`, `fd00::/8`, or one address; nil where the text is neither.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2, let bytes = AddressRange.bytes(of: String(first)) else {
      return nil
    }
    let all = bytes.count * 8
    guard let bits = parts.count == 2 ? Int(parts[1]) : all, (0...all).contains(bits) else { return nil }
    self.bytes = bytes
    self.bits = bits
  }

  /// Whether an address, of 4 bytes or 16, is among them.
  func contains(_ address: [UInt8]) -> Bool {
    guard address.count == bytes.count else { return false }
    for (index, byte) in bytes.enumerated() {
      let counted = min(max(bits - index * 8, 0), 8)
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> counted)
      if (byte ^ address[index]) & mask != 0 { return false }
    }
    return true
  }

  private static func bytes(of text: String) -> [UInt8]? {
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }
}
