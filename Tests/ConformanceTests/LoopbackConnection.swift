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

  init(_ address: SocketAddress?) throws {
    guard case .ipv4(let host, let port)? = address else {
      throw ServerError.system(call: "address", code: 0)
    }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // A server that does not answer fails the test instead of hanging it.
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var system = sockaddr_in()
    system.sin_family = sa_family_t(AF_INET)
    system.sin_port = port.bigEndian
    system.sin_addr.s_addr = host.bigEndian
    let result = withUnsafePointer(to: &system) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw ServerError.system(call: "connect", code: errno) }
  }

  deinit { close(descriptor) }

  func send(_ method: String, _ target: String, json: [UInt8]? = nil) throws -> Answer {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
    if let json { head += "Content-Type: application/json\r\nContent-Length: \(json.count)\r\n" }
    try send(Array("\(head)\r\n".utf8) + (json ?? []))
    return try answer()
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
