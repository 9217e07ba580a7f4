import GatehouseTestSupport
import Glibc

/// A port of the loopback address that a server listens at.
struct LocalPort: Sendable {
  let port: UInt16
  /// How long an answer is waited for; 0: for as long as it takes.
  let seconds: Int

  init(_ port: UInt16, seconds: Int = 0) { (self.port, self.seconds) = (port, seconds) }

  /// Sends the bytes on a connection of their own, and gives all that comes back until the server closes.
  func exchange(_ request: String) throws -> String {
    let descriptor = try send(request)
    defer { close(descriptor) }
    return read(descriptor)
  }

  /// Sends one request on a connection of its own.
  func send(
    _ method: String, _ path: String, fields: [String: String] = [:], body: String? = nil
  ) throws -> RunningServer.Answer {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    return try RunningServer.Answer(try exchange(head + "\r\n" + (body ?? "")))
  }

  /// Sends the bytes, and returns the connection.
  func send(_ request: String) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if seconds > 0 {
      var limit = timeval(tv_sec: seconds, tv_usec: 0)
      for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
      }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(descriptor)
      throw SystemError(call: "connect", code: errno)
    }
    var rest = Array(request.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        close(descriptor)
        throw SystemError(call: "send", code: errno)
      }
      rest = rest.dropFirst(count)
    }
    return descriptor
  }

  private func read(_ descriptor: Int32) -> String {
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
      answer += piece[..<count]
    }
  }
}
