import GatehouseServer
import Glibc
import Testing

/// A connection to a server on the loopback address that is kept open: one request follows the other.
final class LoopbackConnection {
  /// A response: its status, and its content.
  struct Answer: Equatable {
    let status: Int
    let content: String
  }

  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects, from the address `source` if there is one; `buffer` is the size in bytes of what the system receives unread.
  init(_ address: SocketAddress?, from source: UInt32? = nil, buffer: Int32? = nil) throws {
    guard case .ipv4(let host, let port)? = address else {
      throw ServerError.system(call: "address", code: 0)
    }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // A server that does not answer fails the test instead of hanging it.
    var timeout = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    if var buffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
    }
    if let source, Self.withAddress(source, 0, { bind(descriptor, $0, $1) }) != 0 {
      throw ServerError.system(call: "bind", code: errno)
    }
    guard Self.withAddress(host, port, { connect(descriptor, $0, $1) }) == 0 else {
      throw ServerError.system(call: "connect", code: errno)
    }
  }

  private static func withAddress(
    _ host: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var system = sockaddr_in()
    system.sin_family = sa_family_t(AF_INET)
    system.sin_port = port.bigEndian
    system.sin_addr.s_addr = host.bigEndian
    return withUnsafePointer(to: &system) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { close(descriptor) }

  func send(_ method: String, _ target: String, json: [UInt8]? = nil) throws -> Answer {
    try ask(method, target, json: json)
    return try answer()
  }

  /// Sends a request whose answer is not read.
  func ask(_ method: String, _ target: String, json: [UInt8]? = nil) throws {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
    if let json { head += "Content-Type: application/json\r\nContent-Length: \(json.count)\r\n" }
    try send(Array("\(head)\r\n".utf8) + (json ?? []))
  }

  private func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw ServerError.system(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  private func answer() throws -> Answer {
    let end = Array("\r\n\r\n".utf8)
    while received.firstRange(of: end) == nil { try receive() }
    let split = try #require(received.firstRange(of: end))
    let head = String(decoding: received[..<split.lowerBound], as: UTF8.self)
    let length = try #require(head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) })
    while received.count < split.upperBound + length { try receive() }
    let content = received[split.upperBound..<(split.upperBound + length)]
    let answer = Answer(
      status: Int(head.split(separator: " ", maxSplits: 2)[1]) ?? 0,
      content: String(decoding: content, as: UTF8.self))
    received.removeFirst(split.upperBound + length)
    return answer
  }

  private func receive() throws {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { throw ServerError.system(call: "recv", code: errno) }
    received += piece[..<count]
  }
}
