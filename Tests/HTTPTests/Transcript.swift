@testable import GatehouseHTTP

/// The events that a parser makes of some bytes, as lines of text.
func transcript(_ bytes: [UInt8], pieces: Int = .max, limits: Limits = Limits()) -> [String] {
  var parser = RequestParser(limits: SharedLimits(limits))
  var room = HeadRoom()
  var lines: [String] = []
  var content: [UInt8] = []
  var start = 0
  while start < bytes.count {
    let piece = Array(bytes[start..<min(bytes.count, start + min(pieces, bytes.count))])
    start += piece.count
    let result = piece.withUnsafeBytes { bytes in
      Result { () throws(RequestError) in try feed(bytes, to: &parser, &room, &lines, &content) }
    }
    if case .failure(let error) = result {
      lines += content.isEmpty ? [] : ["content \(String(decoding: content, as: UTF8.self))"]
      return lines + ["\(error.status.rawValue) \(error.rule.rawValue) at \(error.offset)"]
    }
  }
  if !content.isEmpty { lines.append("content \(String(decoding: content, as: UTF8.self)) …") }
  if !parser.isBetweenRequests { lines.append("…") }
  return lines
}

private func feed(
  _ bytes: UnsafeRawBufferPointer, to parser: inout RequestParser, _ room: inout HeadRoom,
  _ lines: inout [String], _ content: inout [UInt8]
) throws(RequestError) {
  var position = 0
  while true {
    switch try parser.next(in: bytes, at: &position, using: &room) {
    case .needsBytes: return
    case .head(let head): lines.append(describe(head))
    case .content(let range): content += bytes[range]
    case .end:
      lines.append("content \(String(decoding: content, as: UTF8.self))")
      content = []
    }
  }
}

private func describe(_ head: RequestHead) -> String {
  let query = head.target.query.map { "?\($0)" } ?? ""
  let version = head.version == .http10 ? " 1.0" : ""
  let close = head.isPersistent ? "" : " close"
  let expect = head.expectsContinue ? " expects" : ""
  let fields = head.fields.lines.filter { $0.name != "host" }.map { " \($0.name)=\($0.value)" }.joined()
  return "\(head.method.rawValue) \(head.target.path)\(query)\(version)\(close)\(expect)\(fields)"
}
