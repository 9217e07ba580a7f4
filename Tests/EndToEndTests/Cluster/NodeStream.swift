import GatehouseTestSupport
import Glibc

/// An event stream of a node, which is read until what is waited for has come.
final class NodeStream {
  /// An event that has an identifier.
  struct Event: Hashable {
    let id: String
    let kind: String
    let data: String
  }

  private let descriptor: Int32
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - last: The identifier of the last event that was seen; nil: none was.
  ///   - seconds: How long the next piece is waited for.
  init(_ port: UInt16, _ path: String, last: String? = nil, seconds: Int = 300) throws {
    var head =
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nIf-Version-At-Least: 1\r\n"
    if let last { head += "Last-Event-ID: \(last)\r\n" }
    descriptor = try LocalPort(port, seconds: seconds).send(head + "\r\n")
  }

  deinit { close(descriptor) }

  /// Reads until there are so many events about objects, and returns these; fewer where the stream ends before.
  func objects(_ count: Int) throws -> [Event] {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let found = try events().filter { $0.data.contains("\"_id\"") }
      if found.count >= count { return found }
      let read = recv(descriptor, &piece, piece.count, 0)
      guard read > 0 else { return found }
      bytes += piece[..<read]
    }
  }

  private func events() throws -> [Event] {
    let answer = try RunningServer.Answer(String(decoding: bytes, as: UTF8.self))
    return answer.body.components(separatedBy: "\n\n", atMost: .max).dropLast().compactMap { frame in
      var fields: [String: String] = [:]
      for line in frame.split(separator: "\n") {
        let pair = String(line).components(separatedBy: ": ", atMost: 2)
        if pair.count == 2 { fields[pair[0]] = pair[1] }
      }
      guard let id = fields["id"], let data = fields["data"] else { return nil }
      return Event(id: id, kind: fields["event"] ?? "", data: data)
    }
  }
}
