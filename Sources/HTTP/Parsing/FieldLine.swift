/// A field line (RFC 9112 §5), taken apart and checked.
struct FieldLine {
  var name: UnsafeRawBufferPointer
  /// Without the white space around it.
  var value: UnsafeRawBufferPointer

  init(_ line: UnsafeRawBufferPointer, offset: Int) throws(RequestError) {
    guard !line[0].isWhitespace else { throw RequestError(.foldedLine, offset: offset) }
    let colon = line.tokenEnd(from: 0)
    guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
      throw Self.failure(line, .malformedFieldName, at: colon, offset: offset)
    }
    name = line.part(0, colon)
    if let index = line.firstControlByte(from: colon + 1) {
      throw Self.failure(line, .malformedFieldValue, at: index, offset: offset)
    }
    value = line.part(colon + 1, line.count).trimmed
  }

  private static func failure(
    _ line: UnsafeRawBufferPointer, _ rule: RequestError.Rule, at index: Int, offset: Int
  ) -> RequestError {
    let isCarriageReturn = index < line.count && line[index] == UInt8(ascii: "\r")
    return RequestError(isCarriageReturn ? .bareCarriageReturn : rule, offset: offset + index)
  }
}
