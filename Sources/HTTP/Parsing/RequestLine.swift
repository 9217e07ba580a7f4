/// A request line (RFC 9112 §3), taken apart and checked.
struct RequestLine {
  var method: Method
  var version: Version
  /// The target in origin-form or `*`, with the path first.
  var target: UnsafeRawBufferPointer
  /// How much of `target` is the path.
  var pathLength: Int
  /// The authority of a target in absolute-form.
  var authority: UnsafeRawBufferPointer?

  init(_ line: UnsafeRawBufferPointer, offset: Int) throws(RequestError) {
    let space = UInt8(ascii: " ")
    let methodEnd = line.tokenEnd(from: 0)
    let targetStart = methodEnd + 1
    let targetEnd = line.index(of: space, from: min(targetStart, line.count))
    guard methodEnd > 0, methodEnd < line.count, line[methodEnd] == space, targetEnd > targetStart,
      targetEnd < line.count, line.index(of: space, from: targetEnd + 1) == line.count
    else { throw Self.failure(of: line, .malformedRequestLine, offset: offset) }
    version = try Self.version(line, from: targetEnd + 1, offset: offset)
    guard let method = Method(line.part(0, methodEnd)) else {
      throw RequestError(.unknownMethod, offset: offset)
    }
    self.method = method
    target = line.part(targetStart, targetEnd)
    pathLength = 0
    try splitTarget(offset: offset + targetStart)
  }

  /// The error for a line that does not have its shape: a stray CR is what usually is behind it.
  private static func failure(
    of line: UnsafeRawBufferPointer, _ rule: RequestError.Rule, offset: Int
  ) -> RequestError {
    let index = line.index(of: UInt8(ascii: "\r"), from: 0)
    if index < line.count { return RequestError(.bareCarriageReturn, offset: offset + index) }
    return RequestError(rule, offset: offset)
  }

  private static func version(
    _ line: UnsafeRawBufferPointer, from start: Int, offset: Int
  ) throws(RequestError) -> Version {
    let version = line.part(start, line.count)
    if version.matches("HTTP/1.1") { return .http11 }
    if version.matches("HTTP/1.0") { return .http10 }
    guard version.count == 8, version.part(0, 5).matches("HTTP/"), version[5].decimalDigit != nil,
      version[6] == UInt8(ascii: "."), version[7].decimalDigit != nil
    else { throw failure(of: line, .malformedVersion, offset: offset + start) }
    throw RequestError(.unsupportedVersion, offset: offset + start)
  }

  /// Checks the target's form, which also takes absolute-form to origin-form.
  private mutating func splitTarget(offset: Int) throws(RequestError) {
    if target[0] == UInt8(ascii: "/") {
      return try splitPath(offset: offset)
    }
    if target.matches("*"), method == .options {
      pathLength = 1
      return
    }
    let schemeLength =
      target.count > 7 && target.part(0, 7).matchesIgnoringCase("http://")
      ? 7 : target.count > 8 && target.part(0, 8).matchesIgnoringCase("https://") ? 8 : 0
    guard schemeLength > 0 else { throw RequestError(.malformedTarget, offset: offset) }
    try splitAuthority(from: schemeLength, offset: offset)
  }

  private mutating func splitAuthority(from start: Int, offset: Int) throws(RequestError) {
    let whole = target
    let end = whole.index(of: UInt8(ascii: "/"), from: start)
    authority = whole.part(start, end)
    guard Host.isValid(whole.part(start, end)), end < whole.count else {
      throw RequestError(.malformedTarget, offset: offset + start)
    }
    target = whole.part(end, whole.count)
    try splitPath(offset: offset + end)
  }

  private mutating func splitPath(offset: Int) throws(RequestError) {
    var end = 0
    while end < target.count, target[end].isPathCharacter { end += 1 }
    pathLength = end
    if end < target.count, target[end] == UInt8(ascii: "?") { end = target.queryEnd(from: end + 1) }
    guard end == target.count else { throw RequestError(.malformedTarget, offset: offset + end) }
    // Refused now, and not when it is decoded, so that the answer does not depend on the route.
    guard PercentEncoding.isValid(target) else {
      throw RequestError(.malformedPercentEncoding, offset: offset)
    }
  }
}
