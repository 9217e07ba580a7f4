/// Reads a request head that stands in memory from its first byte on, as far as it has come.
///
/// Mostly it has come whole. If not it is read again, from its start, when another line of it has: what would have
/// to be remembered of half a head would cost every connection its memory, and every request to be written there.
struct HeadReader: ~Copyable {
  private let bytes: UnsafeRawBufferPointer
  private let limits: HeadLimits
  private var size: HeadSize
  /// Where the current line begins.
  private var offset = 0
  /// Where the next one does.
  private(set) var position = 0
  /// For a head that has not come whole, how many bytes there may be before the current line must have ended.
  private(set) var bound = 0

  private var method = Method.get
  private var version = Version.http11
  private var targetEnd = 0
  private var pathEnd = 0
  private var authority: UnsafeRawBufferPointer?
  /// The target, then the field lines: what ``Target`` and ``Fields`` share.
  private(set) var packed: HeadBytes

  private var hasHost = false
  private var contentLength: Int?
  private var codings = TransferCodings()
  private var closes = false
  private var keepsAlive = false
  private var expectsContinue = false
  private var hasID = false
  private var hasTraceParent = false

  /// Reads `bytes`. Target and fields are appended to `packed`, which is empty.
  init(_ bytes: UnsafeRawBufferPointer, limits: HeadLimits, packed: consuming HeadBytes) {
    self.bytes = bytes
    self.limits = limits
    self.packed = packed
    size = HeadSize(head: limits.head, fieldCount: limits.fieldCount)
  }

  /// The head; nil when its end has not come.
  mutating func read() throws(RequestError) -> RequestHead? {
    guard try readRequestLine() else { return nil }
    while let line = try nextLine(atMost: size.remaining, else: .headTooLarge) {
      if line.isEmpty { return try finish() }
      try size.add(line.count, offset: offset)
      try append(line)
    }
    return nil
  }

  /// The next line without its CRLF; nil when its end has not come.
  ///
  /// The limit is checked first, so that the outcome does not depend on how much of the line has come.
  private mutating func nextLine(
    atMost limit: Int, else rule: RequestError.Rule
  ) throws(RequestError) -> UnsafeRawBufferPointer? {
    offset = position
    guard let lineFeed = bytes.firstLineFeed(from: offset) else {
      // The last byte may be the CR of the end.
      bound = offset + limit + 1
      guard bytes.count <= bound else { throw RequestError(rule, offset: offset) }
      return nil
    }
    let length = lineFeed - offset - 1
    guard length <= limit else { throw RequestError(rule, offset: offset) }
    guard length >= 0, bytes[lineFeed - 1] == UInt8(ascii: "\r") else {
      throw length == limit
        ? RequestError(rule, offset: offset) : RequestError(.bareLineFeed, offset: lineFeed)
    }
    position = lineFeed + 1
    return bytes.part(offset, lineFeed - 1)
  }

  private mutating func readRequestLine() throws(RequestError) -> Bool {
    let limit = min(limits.requestLine, limits.head)
    guard var line = try nextLine(atMost: limit, else: .requestLineTooLong) else { return false }
    if line.isEmpty {
      // One empty line before a request line is skipped (RFC 9112 §2.2).
      guard let next = try nextLine(atMost: limit, else: .requestLineTooLong) else { return false }
      line = next
    }
    try begin(line)
    return true
  }

  private mutating func begin(_ requestLine: UnsafeRawBufferPointer) throws(RequestError) {
    let line = try RequestLine(requestLine, offset: offset)
    size = HeadSize(head: limits.head, fieldCount: limits.fieldCount, requestLine: requestLine.count)
    method = line.method
    version = line.version
    targetEnd = line.target.count
    pathEnd = line.pathLength
    authority = line.authority
    // Each field line takes four bytes more packed than written; more than that is the usual slack.
    packed.reserve(requestLine.count + min(bytes.count - position, 480) + 64)
    packed.append(line.target)
  }

  /// Takes a field line.
  private mutating func append(_ line: UnsafeRawBufferPointer) throws(RequestError) {
    let field = try FieldLine(line, offset: offset)
    packed.appendLine(name: field.name, value: field.value)
    try interpret(field)
  }

  /// Heeds the fields that say how the message is to be read.
  @inline(__always)
  private mutating func interpret(_ field: FieldLine) throws(RequestError) {
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
    case 11 where field.name.matchesIgnoringCase("traceparent"): hasTraceParent = true
    case 12 where field.name.matchesIgnoringCase("x-request-id"): hasID = true
    case 14 where field.name.matchesIgnoringCase("content-length"): try setContentLength(field.value)
    case 17 where field.name.matchesIgnoringCase("transfer-encoding"): codings.append(field.value)
    default: break
    }
  }

  private mutating func setContentLength(_ value: UnsafeRawBufferPointer) throws(RequestError) {
    // RFC 9112 §6.3 lets identical ones pass; two fields, or a list, are what smuggling is made of.
    guard contentLength == nil else { throw RequestError(.repeatedContentLength, offset: offset) }
    guard value.isNumber else { throw RequestError(.malformedContentLength, offset: offset) }
    var length = 0
    for byte in value {
      length = min(length, Int.max / 16) * 10 + Int(byte & 0x0f)
      guard length <= limits.content else { throw RequestError(.contentTooLarge, offset: offset) }
    }
    contentLength = length
  }

  /// The head, once the empty line has been read.
  private func finish() throws(RequestError) -> RequestHead {
    let framing = try framing()
    try checkHost()
    precondition(
      pathEnd <= targetEnd && position <= bytes.count, "a path is in its target, and that in the head")
    return RequestHead(
      packed: packed, length: position, pathEnd: pathEnd, targetEnd: targetEnd, method: method,
      version: version,
      framing: framing,
      isPersistent: version == .http11 ? !closes : keepsAlive && !closes,
      expectsContinue: expectsContinue && framing != .none, hasID: hasID,
      hasTraceParent: hasTraceParent)
  }

  /// RFC 9112 §6.3, where every doubt is an error.
  private func framing() throws(RequestError) -> RequestHead.Framing {
    guard codings.isPresent else { return contentLength.map { $0 == 0 ? .none : .length($0) } ?? .none }
    guard version == .http11 else { throw RequestError(.transferEncodingBeforeHTTP11, offset: offset) }
    guard contentLength == nil else { throw RequestError(.conflictingFraming, offset: offset) }
    guard codings.endInOneChunked else { throw RequestError(.malformedTransferEncoding, offset: offset) }
    guard codings.areKnown else { throw RequestError(.unknownTransferCoding, offset: offset) }
    return .chunked
  }

  private func checkHost() throws(RequestError) {
    guard hasHost || version == .http10 else { throw RequestError(.missingHost, offset: offset) }
    guard let authority, hasHost else { return }
    // RFC 9112 §3.2.2 would have Host ignored; a client that sends two different ones is up to something.
    guard let host = Fields(packed: packed, start: UInt32(truncatingIfNeeded: targetEnd))["host"],
      host.utf8.elementsEqual(authority, by: { $0.lowercased == $1.lowercased })
    else { throw RequestError(.conflictingHost, offset: offset) }
  }
}
