/// Turns response heads into bytes (RFC 9112 §4). One per event loop, whose output it gathers.
public struct ResponseWriter: ~Copyable {
  public var output: OutputBuffer
  private var date = DateLine()
  private let serverLine: [UInt8]

  /// `server` is the value of a `server` field, which is left out by default.
  public init(server: String? = nil, capacity: Int = 65_536) {
    output = OutputBuffer(capacity: capacity)
    serverLine = server.map { Array("server: \($0)\r\n".utf8) } ?? []
  }

  /// Sets the time that `date` fields tell, in seconds since 1970.
  public mutating func setDate(second: Int) {
    date.update(second: second)
  }

  /// How the client finds the end of the content.
  enum Framing {
    /// The response has no content, and never will: 204, 304.
    case none
    case length(Int)
    case chunked
    /// HTTP/1.0, which has no chunks.
    case close
    /// An answer to HEAD whose length is not known, or is told by the handler.
    case unsaid
  }

  enum Persistence {
    case assumed
    /// `connection: keep-alive`, for HTTP/1.0.
    case said
    case close
  }

  /// Appends a head. The fields have been found writable.
  mutating func appendHead(
    _ status: Status, _ fields: Fields, framing: Framing, persistence: Persistence, id: RequestID?
  ) {
    // A packed line is longer than a written one, and what is put beside them takes less than 512 bytes: the
    // longest id has 128.
    output.reserve(fields.writtenSize + date.bytes.count + serverLine.count + 512)
    putStatusLine(status)
    date.bytes.withUnsafeBytes { output.put($0) }
    serverLine.withUnsafeBytes { output.put($0) }
    put(fields, keepsLength: framing.leavesLengthToHandler)
    put(framing)
    switch persistence {
    case .assumed: break
    case .said: output.put("connection: keep-alive\r\n")
    case .close: output.put("connection: close\r\n")
    }
    if let id { put(id) }
    output.put("\r\n")
  }

  /// Appends the interim response that asks for the content (RFC 9110 §15.2.1).
  mutating func appendContinue() {
    output.append("HTTP/1.1 100 Continue\r\n\r\n")
  }

  /// Appends a chunk; none for no bytes, since a chunk of size 0 is the last.
  mutating func appendChunk(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    output.appendSize(bytes.count)
    output.append("\r\n")
    output.append(bytes)
    output.append("\r\n")
  }

  /// Appends the last chunk.
  mutating func appendLastChunk() {
    output.append("0\r\n\r\n")
  }

  private mutating func putStatusLine(_ status: Status) {
    if status == .ok { return output.put("HTTP/1.1 200 OK\r\n") }
    output.put("HTTP/1.1 ")
    output.append(Int(status.rawValue))
    output.put(" ")
    output.put(status.reason)
    output.put("\r\n")
  }

  private mutating func put(_ fields: Fields, keepsLength: Bool) {
    fields.forEachLine { name, value in
      if name.isReservedFieldName(keepsLength: keepsLength) { return }
      output.put(name)
      output.put(": ")
      output.put(value)
      output.put("\r\n")
    }
  }

  private mutating func put(_ framing: Framing) {
    switch framing {
    case .none, .close, .unsaid: break
    case .chunked: output.put("transfer-encoding: chunked\r\n")
    case .length(let length):
      output.put("content-length: ")
      output.append(length)
      output.put("\r\n")
    }
  }

  private mutating func put(_ id: RequestID) {
    output.put("x-request-id: ")
    switch id {
    case .made(let number): output.putHexadecimal(number)
    case .given(var text): text.withUTF8 { output.append(UnsafeRawBufferPointer($0)) }
    }
    output.put("\r\n")
  }
}

extension ResponseWriter.Framing {
  /// Whether a `content-length` that the handler gives stands, since no content follows.
  fileprivate var leavesLengthToHandler: Bool {
    switch self {
    case .none, .unsaid: true
    case .length, .chunked, .close: false
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the field is the server's to write: what frames the message, and the date.
  fileprivate func isReservedFieldName(keepsLength: Bool) -> Bool {
    switch count {
    case 4: matches("date")
    case 10: matches("connection")
    case 12: matches("x-request-id")
    case 14: !keepsLength && matches("content-length")
    case 17: matches("transfer-encoding")
    default: false
    }
  }
}
