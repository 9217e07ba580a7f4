internal import CGatehouseLinux
internal import Glibc

/// A socket that listens.
///
/// For an internet address each loop has one of its own, and the kernel shares the connections out
/// (SO_REUSEPORT). Others are shared by the loops, of which the kernel wakes one at a time (EPOLLEXCLUSIVE).
final class ListeningSocket {
  let descriptor: Int32
  /// Where it listens, with the port that the kernel has chosen if none was asked for.
  let address: SocketAddress
  let isShared: Bool
  /// The file that goes with the socket.
  private let path: String?

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
    isShared = address.port == nil
    if case .unix(let path) = address { self.path = path } else { path = nil }
  }

  /// Takes over a socket that listens already.
  init(activated socket: Activation.Socket) throws(ServerError) {
    guard let address = Self.boundAddress(socket.descriptor) else {
      throw ServerError.system(call: "getsockname", code: errno)
    }
    _ = fcntl(socket.descriptor, F_SETFL, fcntl(socket.descriptor, F_GETFL) | O_NONBLOCK)
    descriptor = socket.descriptor
    self.address = address
    isShared = true
    path = nil
  }

  deinit {
    close(descriptor)
    if let path { unlink(path) }
  }

  /// Finds out whether somebody listens there already, which SO_REUSEPORT would let pass.
  static func probe(_ address: SocketAddress) throws(ServerError) {
    if address.port == 0 { return }
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ServerError.system(call: "socket", code: errno) }
    defer { close(descriptor) }
    if case .unix(let path) = address { return try clear(path, descriptor) }
    try bind(descriptor, address, shared: false)
  }

  /// Removes the socket that a server which is no more has left, and no other file: binding then fails.
  private static func clear(_ path: String, _ descriptor: Int32) throws(ServerError) {
    let address = SocketAddress.unix(path)
    if address.withSystemAddress({ connect(descriptor, $0, $1) }) == 0 {
      throw ServerError.addressInUse(address.description)
    }
    guard errno == ECONNREFUSED else { return }
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
  }

  private static func bind(
    _ descriptor: Int32, _ address: SocketAddress, shared: Bool
  ) throws(ServerError) {
    if address.port != nil {
      turnOn(SO_REUSEADDR, at: SOL_SOCKET, of: descriptor)
      if shared { turnOn(SO_REUSEPORT, at: SOL_SOCKET, of: descriptor) }
      if case .ipv6 = address { turnOn(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), of: descriptor) }
    }
    guard address.withSystemAddress({ Glibc.bind(descriptor, $0, $1) }) != 0 else { return }
    switch errno {
    case EADDRINUSE: throw ServerError.addressInUse(address.description)
    case EADDRNOTAVAIL: throw ServerError.addressNotAvailable(address.description)
    case EACCES, EPERM: throw ServerError.addressForbidden(address.description)
    case let code: throw ServerError.system(call: "bind", code: code)
    }
  }

  /// Turns a socket's option on (setsockopt(2)).
  static func turnOn(_ option: Int32, at level: Int32, of descriptor: Int32) {
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
