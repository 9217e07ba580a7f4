/// Builds a request head from its lines.
struct HeadReader: Sendable {
  private var method = Method.get
  private var version = Version.http11
  private var targetEnd = 0
  private var pathEnd = 0
  private var authority: [UInt8]?
  /// The target, then the field lines: what ``Target`` and ``Fields`` share.
  private var packed = HeadBytes()

  private var hasHost = false
  private var contentLength: Int?
  private var codings = TransferCodings()
  private var closes = false
  private var keepsAlive = false
  private var expectsContinue = false
  private var hasID = false

  /// Begins with a request line, which stands at `offset`; `room` is about how long the head is.
  mutating func begin(_ requestLine: UnsafeRawBufferPointer, offset: Int, room: Int) throws(RequestError) {
    let line = try RequestLine(requestLine, offset: offset)
    self = HeadReader()
    method = line.method
    version = line.version
    targetEnd = line.target.count
    pathEnd = line.pathLength
    if let authority = line.authority { self.authority = Array(authority) }
    packed.reserve(room)
    packed.append(line.target)
  }

  /// Takes a field line, which stands at `offset`.
  mutating func append(
    _ line: UnsafeRawBufferPointer, offset: Int, limits: Limits
  ) throws(RequestError) {
    let field = try FieldLine(line, offset: offset)
    packed.appendLine(name: field.name, value: field.value)
    try interpret(field, offset: offset, limits: limits)
  }

  /// Heeds the fields that say how the message is to be read.
  private mutating func interpret(
    _ field: FieldLine, offset: Int, limits: Limits
  ) throws(RequestError) {
    switch field.name.count {
    case 4 where field.name.matchesIgnoringCase("host"):
      guard !hasHost else { throw RequestError(.repeatedHost, offset: offset) }
      guard Host.isValid(field.value) else { throw RequestError(.malformedHost, offset: offset) }
      hasHost = true
    case 6 where field.name.matchesIgnoringCase("expect") && version == .http11:
      guard field.value.matchesIgnoringCase("100-continue") else {
        throw RequestError(.unknownExpectation, offset: offset)
      }
      expectsContinue = true
    case 10 where field.name.matchesIgnoringCase("connection"):
      field.value.forEachListElement { option in
        if option.matchesIgnoringCase("close") { closes = true }
        if option.matchesIgnoringCase("keep-alive") { keepsAlive = true }
      }
    case 12 where field.name.matchesIgnoringCase("x-request-id"): hasID = true
    case 14 where field.name.matchesIgnoringCase("content-length"):
      try setContentLength(field.value, offset: offset, limit: limits.content)
    case 17 where field.name.matchesIgnoringCase("transfer-encoding"):
      codings.append(field.value)
    default: break
    }
  }

  private mutating func setContentLength(
    _ value: UnsafeRawBufferPointer, offset: Int, limit: Int
  ) throws(RequestError) {
    // RFC 9112 §6.3 lets identical ones pass; two fields, or a list, are what smuggling is made of.
    guard contentLength == nil else { throw RequestError(.repeatedContentLength, offset: offset) }
    guard value.isNumber else {
      throw RequestError(.malformedContentLength, offset: offset)
    }
    var length = 0
    for byte in value {
      length = min(length, Int.max / 16) * 10 + Int(byte & 0x0f)
      guard length <= limit else { throw RequestError(.contentTooLarge, offset: offset) }
    }
    contentLength = length
  }

  /// The head, once the empty line at `offset` has been read.
  ///
  /// What the head holds is given away.
  mutating func finish(offset: Int) throws(RequestError) -> RequestHead {
    let framing = try framing(offset: offset)
    let packed = packed
    self.packed = HeadBytes()
    let target = Target(bytes: packed, pathEnd: pathEnd, end: targetEnd)
    let fields = Fields(packed: packed, start: targetEnd)
    try checkHost(fields, offset: offset)
    return RequestHead(
      method: method, target: target, version: version, fields: fields, framing: framing,
      isPersistent: version == .http11 ? !closes : keepsAlive && !closes,
      expectsContinue: expectsContinue && framing != .none, hasID: hasID)
  }

  /// RFC 9112 §6.3, where every doubt is an error.
  private func framing(offset: Int) throws(RequestError) -> RequestHead.Framing {
    guard codings.isPresent else { return contentLength.map { $0 == 0 ? .none : .length($0) } ?? .none }
    guard version == .http11 else { throw RequestError(.transferEncodingBeforeHTTP11, offset: offset) }
    guard contentLength == nil else { throw RequestError(.conflictingFraming, offset: offset) }
    guard codings.endInOneChunked else { throw RequestError(.malformedTransferEncoding, offset: offset) }
    guard codings.areKnown else { throw RequestError(.unknownTransferCoding, offset: offset) }
    return .chunked
  }

  private func checkHost(_ fields: Fields, offset: Int) throws(RequestError) {
    guard hasHost || version == .http10 else { throw RequestError(.missingHost, offset: offset) }
    guard let authority, hasHost, let host = fields["host"] else { return }
    // RFC 9112 §3.2.2 would have Host ignored; a client that sends two different ones is up to something.
    guard host.utf8.elementsEqual(authority, by: { $0.lowercased == $1.lowercased }) else {
      throw RequestError(.conflictingHost, offset: offset)
    }
  }
}
