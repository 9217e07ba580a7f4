internal import CLinux
internal import Glibc

/// A socket that listens. Several loops may each have one for the same address, and the kernel shares the
/// connections out (SO_REUSEPORT).
struct ListeningSocket: ~Copyable {
  let descriptor: Int32
  /// Where it listens, with the port that the kernel has chosen if none was asked for.
  let address: SocketAddress

  init(_ address: SocketAddress, backlog: Int32) throws(ServerError) {
    let descriptor = socket(
      address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ServerError.system(call: "socket", code: errno) }
    do throws(ServerError) {
      try Self.bind(descriptor, address, shared: true)
      guard listen(descriptor, backlog) == 0 else { throw ServerError.system(call: "listen", code: errno) }
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.address = Self.boundAddress(descriptor) ?? address
  }

  deinit {
    close(descriptor)
  }

  /// Finds out whether somebody listens there already, which SO_REUSEPORT would let pass.
  static func probe(_ address: SocketAddress) throws(ServerError) {
    guard let port = address.port, port != 0 else { return }
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ServerError.system(call: "socket", code: errno) }
    defer { close(descriptor) }
    try bind(descriptor, address, shared: false)
  }

  private static func bind(
    _ descriptor: Int32, _ address: SocketAddress, shared: Bool
  ) throws(ServerError) {
    if address.port != nil {
      set(descriptor, SOL_SOCKET, SO_REUSEADDR)
      if shared { set(descriptor, SOL_SOCKET, SO_REUSEPORT) }
      if case .ipv6 = address { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
    }
    guard address.withSystemAddress({ Glibc.bind(descriptor, $0, $1) }) != 0 else { return }
    switch errno {
    case EADDRINUSE: throw ServerError.addressInUse(address.description)
    case EADDRNOTAVAIL: throw ServerError.addressNotAvailable(address.description)
    case EACCES, EPERM: throw ServerError.addressForbidden(address.description)
    case let code: throw ServerError.system(call: "bind", code: code)
    }
  }

  static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  static func boundAddress(_ descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
    }
    return result == 0 ? SocketAddress(storage) : nil
  }
}
