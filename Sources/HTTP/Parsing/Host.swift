/// The grammar of `uri-host [ ":" port ]` (RFC 9110 §7.2).
enum Host {
  /// Whether the bytes are a host, which is not empty, and perhaps a port.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let end = bytes.first == UInt8(ascii: "[") ? literalEnd(bytes) : nameEnd(bytes)
    if end == 0 || end == bytes.count { return end > 0 }
    guard bytes[end] == UInt8(ascii: ":") else { return false }
    let port = bytes.part(end + 1, bytes.count)
    return port.count <= 5 && (port.isEmpty || port.isNumber)
  }

  /// Where the registered name or IPv4 address ends (RFC 3986 §3.2.2).
  private static func nameEnd(_ bytes: UnsafeRawBufferPointer) -> Int {
    var end = 0
    while end < bytes.count, bytes[end].isRegisteredNameCharacter { end += 1 }
    return end
  }

  /// Where the IPv6 address in brackets ends; 0 when it is malformed.
  private static func literalEnd(_ bytes: UnsafeRawBufferPointer) -> Int {
    var end = 1
    while end < bytes.count, bytes[end].isAddressCharacter { end += 1 }
    guard end > 2, end < bytes.count, bytes[end] == UInt8(ascii: "]") else { return 0 }
    return end + 1
  }
}

extension UInt8 {
  fileprivate var isAddressCharacter: Bool {
    hexadecimalDigit != nil || self == UInt8(ascii: ":") || self == UInt8(ascii: ".")
  }
}
