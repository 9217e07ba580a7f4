internal import CGatehouseLinux
internal import Glibc

extension SocketAddress {
  /// A blocking socket that is connected to the address, and whose reads and writes give up after `patience`
  /// seconds each. The caller closes it.
  public func connect(patience: Int) throws(ServerError) -> Int32 {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
    var patience = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    guard withSystemAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(call: "connect", code: code)
    }
    return descriptor
  }
}
