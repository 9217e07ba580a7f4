/// Finds lines that end in CRLF, whatever the pieces are in which the bytes come. Heads are read without it.
struct LineReader: Sendable {
  /// The start of a line whose end has not come yet.
  private(set) var carry: [UInt8] = []

  enum Line {
    case incomplete
    /// The line without its CRLF stands in the input.
    case inInput(Range<Int>)
    /// The line without its CRLF began in an earlier input.
    case carried([UInt8])
  }

  /// Whether a line has begun.
  var isInLine: Bool { !carry.isEmpty }

  /// The next line, of at most `limit` bytes without its CRLF.
  ///
  /// The limit is checked first, so that the outcome does not depend on where the input is cut.
  mutating func next(
    in input: UnsafeRawBufferPointer, at position: inout Int, limit: Int
  ) throws(LineError) -> Line {
    precondition(position >= 0 && position <= input.count, "a line is looked for in what has come")
    guard let lineFeed = input.firstLineFeed(from: position) else {
      carry.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[position...]))
      position = input.count
      // The last byte may be the CR of the end.
      if carry.count > limit + 1 { throw .tooLong }
      return .incomplete
    }
    let start = position
    position = lineFeed + 1
    return carry.isEmpty
      ? .inInput(try Self.line(input, start..<lineFeed, limit: limit))
      : .carried(try finish(input[start..<lineFeed], limit: limit))
  }

  /// The range without the CR that must be its last byte.
  private static func line(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, limit: Int
  ) throws(LineError) -> Range<Int> {
    guard range.count <= limit + 1 else { throw .tooLong }
    guard let last = range.last, bytes[last] == UInt8(ascii: "\r") else {
      throw range.count > limit ? .tooLong : .bareLineFeed(offset: range.count)
    }
    return range.lowerBound..<last
  }

  private mutating func finish(
    _ rest: Slice<UnsafeRawBufferPointer>, limit: Int
  ) throws(LineError) -> [UInt8] {
    guard carry.count + rest.count <= limit + 1 else { throw .tooLong }
    carry.append(contentsOf: rest)
    var line: [UInt8] = []
    swap(&line, &carry)
    guard line.last == UInt8(ascii: "\r") else {
      throw line.count > limit ? .tooLong : .bareLineFeed(offset: line.count)
    }
    line.removeLast()
    return line
  }
}
