import GatehouseHTTP

extension Request {
  /// The request as a client sends it.
  func bytes(chunked: Bool) -> [UInt8] {
    var head =
      "\(method.rawValue) \(target.path)\(target.query.map { "?\($0)" } ?? "") HTTP/1.1\r\nhost: simulated\r\n"
    for line in fields.lines { head += "\(line.name): \(line.value)\r\n" }
    guard case .bytes(let content) = body else {
      return Array("\(head)\(method == .get || method == .delete ? "" : "content-length: 0\r\n")\r\n".utf8)
    }
    guard chunked, content.count > 1 else {
      return Array("\(head)content-length: \(content.count)\r\n\r\n".utf8) + content
    }
    var bytes = Array("\(head)transfer-encoding: chunked\r\n\r\n".utf8)
    for piece in [content[..<(content.count / 2)], content[(content.count / 2)...]] {
      bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
    }
    return bytes + Array("0\r\n\r\n".utf8)
  }
}
