import Dispatch
import GatehouseServer
import Glibc
import Testing

/// A blocking socket that speaks in raw text.
final class Client: @unchecked Sendable {
  // Because each test uses a client from one task.
  private let descriptor: Int32

  init(_ address: SocketAddress?) throws {
    let address = try #require(address)
    descriptor = socket(address.port == nil ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // A server that does not answer fails the test instead of hanging it.
    var timeout = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard Self.connect(descriptor, address) == 0 else {
      throw ServerError.system(call: "connect", code: errno)
    }
  }

  private static func connect(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
    switch address {
    case .ipv4(let host, let port):
      var system = sockaddr_in()
      system.sin_family = sa_family_t(AF_INET)
      system.sin_port = port.bigEndian
      system.sin_addr.s_addr = host.bigEndian
      return connect(descriptor, &system, MemoryLayout<sockaddr_in>.size)
    case .unix(let path):
      var system = sockaddr_un()
      system.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &system.sun_path) { $0.copyBytes(from: path.utf8) }
      return connect(descriptor, &system, MemoryLayout<sockaddr_un>.size)
    case .ipv6: return -1
    }
  }

  private static func connect(_ descriptor: Int32, _ address: UnsafeMutableRawPointer, _ size: Int) -> Int32 {
    Glibc.connect(descriptor, address.assumingMemoryBound(to: sockaddr.self), socklen_t(size))
  }

  deinit { close(descriptor) }

  /// Whether all of it was taken.
  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = Glibc.send(descriptor, Array(bytes[sent...]), bytes.count - sent, Int32(MSG_NOSIGNAL))
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  /// Sends in the background; the task ends when all of it was taken.
  func sendAside(_ text: String, times: Int = 1) -> Task<Void, Never> {
    Task {
      // A thread of its own: blocking one of Swift's few would hold up the server's tasks.
      await withCheckedContinuation { done in
        DispatchQueue.global().async {
          for _ in 0..<times where !self.send(text) { break }
          done.resume()
        }
      }
    }
  }

  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes with a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    // For the copies that others may have of the descriptor.
    shutdown(descriptor, Int32(SHUT_RDWR))
    // A socket takes the place of the connection, whose number stays this client's.
    let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    dup2(other, descriptor)
    close(other)
  }

  /// Returns the next bytes, at most `limit`; empty at the end.
  func receivePiece(limit: Int = 65_536, waiting: Bool = true) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &buffer, limit, waiting ? 0 : Int32(MSG_DONTWAIT))
    return Array(buffer[..<max(count, 0)])
  }

  /// Receives until the text ends in `suffix`, or to the end; leaves `date` and `x-request-id` out.
  func receive(until suffix: String? = nil) -> String {
    var bytes: [UInt8] = []
    while true {
      let piece = receivePiece()
      bytes += piece
      let text = String(decoding: bytes, as: UTF8.self)
      if piece.isEmpty || suffix.map(text.hasSuffix) == true { return Self.steady(text) }
    }
  }

  private static func steady(_ text: String) -> String {
    text.split(separator: "\r\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("date: ") && !$0.hasPrefix("x-request-id: ") }
      .joined(separator: "\r\n")
  }
}
