/// The grammar of `uri-host [ ":" port ]` (RFC 9110 §7.2).
enum Host {
  /// Whether the bytes are a host, which is not empty, and perhaps a port.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let hostEnd = hostEnd(bytes), hostEnd > 0 else { return false }
    if hostEnd == bytes.count { return true }
    guard bytes[hostEnd] == UInt8(ascii: ":") else { return false }
    let port = bytes.part(hostEnd + 1, bytes.count)
    return port.count <= 5 && port.allSatisfy { $0.decimalDigit != nil }
  }

  /// Where the host ends; nil when it holds what no host may.
  private static func hostEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), end > 2,
        bytes[1..<end].allSatisfy({ $0.hexadecimalDigit != nil || $0 == 0x3a || $0 == 0x2e })
      else { return nil }
      return end + 1
    }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    return bytes[..<end].allSatisfy(\.isRegisteredNameCharacter) ? end : nil
  }
}
