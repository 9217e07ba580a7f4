internal import CGatehouseLinux
internal import GatehouseHTTP
internal import Glibc

/// Where a listener listens.
public enum SocketAddress: Hashable, Sendable {
  /// In host byte order.
  case ipv4(UInt32, port: UInt16)
  /// The first and the last eight bytes, in host byte order.
  case ipv6(UInt64, UInt64, port: UInt16)
  /// A Unix-domain socket at that path.
  case unix(String)

  /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` or `unix:/path`.
  public init(_ text: String) throws(ServerError) {
    guard let address = Self.path(text) ?? Self.internet(text) else {
      throw ServerError.malformedAddress(text)
    }
    self = address
  }

  private static func path(_ text: String) -> SocketAddress? {
    guard text.hasPrefix("unix:") else { return nil }
    let path = text.dropFirst(5)
    // `sun_path` holds 108 bytes with the terminating zero.
    return path.isEmpty || path.utf8.count > 107 ? nil : .unix(String(path))
  }

  private static func internet(_ text: String) -> SocketAddress? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      return nil
    }
    let host = text[..<colon]
    if host == "localhost" { return .ipv4(0x7f00_0001, port: port) }
    if host.hasPrefix("["), host.hasSuffix("]") {
      var address = in6_addr()
      guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return nil }
      return ipv6(address, port: port)
    }
    var address = in_addr()
    guard inet_pton(AF_INET, String(host), &address) == 1 else { return nil }
    return .ipv4(UInt32(bigEndian: address.s_addr), port: port)
  }

  private static func ipv6(_ address: in6_addr, port: UInt16) -> SocketAddress {
    withUnsafeBytes(of: address) { bytes in
      .ipv6(
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)), port: port)
    }
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool {
    switch self {
    case .ipv4(let address, _): address >> 24 == 127
    case .ipv6(let high, let low, _): high == 0 && low == 1
    case .unix: true
    }
  }

  /// The same address with another port.
  func with(port: UInt16) -> SocketAddress {
    switch self {
    case .ipv4(let address, _): .ipv4(address, port: port)
    case .ipv6(let high, let low, _): .ipv6(high, low, port: port)
    case .unix: self
    }
  }

  /// The port; nil for a path.
  public var port: UInt16? {
    switch self {
    case .ipv4(_, let port), .ipv6(_, _, let port): port
    case .unix: nil
    }
  }

  /// The same as a peer's.
  var peer: PeerAddress {
    switch self {
    case .ipv4(let address, let port): .ipv4(address, port: port)
    case .ipv6(let high, let low, let port): .ipv6(high, low, port: port)
    case .unix: .local
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address as ``init(_:)`` reads it.
  public var description: String {
    if case .unix(let path) = self { "unix:\(path)" } else { peer.description }
  }
}

// The kernel's form.
extension SocketAddress {
  var family: Int32 {
    switch self {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Calls `body` with the address as `bind` takes it.
  func withSystemAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var storage = sockaddr_storage()
    return withUnsafeMutableBytes(of: &storage) { bytes in
      let length = store(in: bytes)
      return bytes.withMemoryRebound(to: sockaddr.self) { address in
        // The storage is not empty.
        body(UnsafePointer(address.baseAddress.unsafelyUnwrapped), socklen_t(length))
      }
    }
  }

  private func store(in bytes: UnsafeMutableRawBufferPointer) -> Int {
    bytes.storeBytes(of: sa_family_t(family), as: sa_family_t.self)
    switch self {
    case .ipv4(let address, let port):
      bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
      bytes.storeBytes(of: address.bigEndian, toByteOffset: 4, as: UInt32.self)
      return MemoryLayout<sockaddr_in>.size
    case .ipv6(let high, let low, let port):
      bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
      bytes.storeBytes(of: high.bigEndian, toByteOffset: 8, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 16, as: UInt64.self)
      return MemoryLayout<sockaddr_in6>.size
    case .unix(let path):
      UnsafeMutableRawBufferPointer(rebasing: bytes[2...]).copyBytes(from: path.utf8)
      // The abstract namespace (unix(7)).
      if path.hasPrefix("@") { bytes[2] = 0 }
      return 2 + path.utf8.count + 1
    }
  }

  /// Reads what `accept` and `getsockname` give.
  init?(_ storage: sockaddr_storage) {
    let address: SocketAddress? = withUnsafeBytes(of: storage) { bytes in
      let port = UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
      switch Int32(storage.ss_family) {
      case AF_INET:
        return .ipv4(UInt32(bigEndian: bytes.load(fromByteOffset: 4, as: UInt32.self)), port: port)
      case AF_INET6:
        return .ipv6(
          UInt64(bigEndian: bytes.load(fromByteOffset: 8, as: UInt64.self)),
          UInt64(bigEndian: bytes.load(fromByteOffset: 16, as: UInt64.self)), port: port)
      case AF_UNIX:
        let path = bytes[2...].prefix { $0 != 0 }
        return .unix(String(decoding: path, as: UTF8.self))
      default: return nil
      }
    }
    guard let address else { return nil }
    self = address
  }
}
