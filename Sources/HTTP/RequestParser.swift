/// Takes a stream of bytes apart into requests (RFC 9112), in whatever pieces it comes.
///
///     start ──request line──▶ fields ──empty line──▶ head is given
///       ▲                                              │ no content
///       ├──────────────────────────────────────────────┤
///       │                                              ▼
///       └──────────────────── end is given ◀──── fixed, chunked
///
/// What it gives does not depend on where the input is cut. After an error nothing more may be asked of it.
public struct RequestParser: Sendable {
  public enum Event: Sendable {
    case needsBytes
    /// A head; if its framing is `none`, the request is complete.
    case head(RequestHead)
    /// Content stands in this range of the input.
    case content(Range<Int>)
    /// The content is complete.
    case end
  }

  private enum State {
    case start(hasSkippedLine: Bool)
    case fields(HeadReader, HeadSize)
    case fixed(remaining: Int)
    case chunked(ChunkDecoder)
  }

  public let limits: Limits
  private var state = State.start(hasSkippedLine: false)
  private var lines = LineReader()
  /// Bytes of the request before the unfinished line, for errors.
  private var offset = 0

  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Whether nothing of a next request has come yet.
  public var isBetweenRequests: Bool {
    if case .start(hasSkippedLine: false) = state { !lines.isInLine } else { false }
  }

  /// Bytes of content that are still to come, where that is known.
  public var remainingContent: Int? {
    switch state {
    case .start, .fields: 0
    case .fixed(let remaining): remaining
    case .chunked: nil
    }
  }

  /// What comes next in `input` from `position` on, which is advanced.
  public mutating func next(
    in input: UnsafeRawBufferPointer, at position: inout Int
  ) throws(RequestError) -> Event {
    switch state {
    case .start, .fields: try nextHead(input, &position)
    case .fixed(let remaining): fixed(input, &position, remaining: remaining)
    case .chunked: try chunked(input, &position)
    }
  }

  private mutating func nextHead(
    _ input: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(RequestError) -> Event {
    while position < input.count {
      let line: LineReader.Line
      do {
        line = try lines.next(in: input, at: &position, limit: lineLimit)
      } catch {
        throw lineFailure(error)
      }
      switch line {
      case .incomplete: return .needsBytes
      case .inInput(let range):
        if let head = try take(input.part(range.lowerBound, range.upperBound)) { return .head(head) }
      case .carried(let bytes):
        // A closure would lose the type of the error.
        let result = bytes.withUnsafeBytes { line in
          Result { () throws(RequestError) in try take(line) }
        }
        if let head = try result.get() { return .head(head) }
      }
    }
    return .needsBytes
  }

  private var lineLimit: Int {
    if case .fields(_, let size) = state {
      size.remaining(limits)
    } else {
      min(limits.requestLine, limits.head)
    }
  }

  private func lineFailure(_ failure: LineReader.Failure) -> RequestError {
    switch (failure, state) {
    case (.bareLineFeed(let index), _): RequestError(.bareLineFeed, offset: offset + index)
    case (.tooLong, .fields): RequestError(.headTooLarge, offset: offset)
    case (.tooLong, _): RequestError(.requestLineTooLong, offset: offset)
    }
  }

  /// Takes a line of the head; gives the head when it was the last.
  private mutating func take(_ line: UnsafeRawBufferPointer) throws(RequestError) -> RequestHead? {
    defer { offset += line.count + 2 }
    switch state {
    case .start(let hasSkippedLine):
      // RFC 9112 §2.2: an empty line before the request line is ignored.
      if line.isEmpty, !hasSkippedLine {
        state = .start(hasSkippedLine: true)
      } else {
        let reader = try HeadReader(requestLine: line, offset: offset)
        state = .fields(reader, HeadSize(requestLine: line.count))
      }
      return nil
    case .fields(var reader, var size):
      // Lets go of the only other reference, so that the bytes are appended in place.
      state = .start(hasSkippedLine: false)
      if line.isEmpty { return try finish(reader) }
      try size.add(line, offset: offset, limits: limits)
      try reader.append(line, offset: offset, limits: limits)
      state = .fields(reader, size)
      return nil
    case .fixed, .chunked: preconditionFailure("no line is read here")
    }
  }

  private mutating func finish(_ reader: consuming HeadReader) throws(RequestError) -> RequestHead {
    let head = try reader.finish(offset: offset)
    switch head.framing {
    case .none: begin()
    case .length(let length): state = .fixed(remaining: length)
    case .chunked: state = .chunked(ChunkDecoder(offset: offset + 2))
    }
    return head
  }

  /// Makes ready for the next request.
  private mutating func begin() {
    state = .start(hasSkippedLine: false)
    // `take` adds the empty line's two.
    offset = -2
  }

  private mutating func fixed(
    _ input: UnsafeRawBufferPointer, _ position: inout Int, remaining: Int
  ) -> Event {
    if remaining == 0 {
      state = .start(hasSkippedLine: false)
      offset = 0
      return .end
    }
    let count = min(remaining, input.count - position)
    if count == 0 { return .needsBytes }
    state = .fixed(remaining: remaining - count)
    position += count
    return .content(position - count..<position)
  }

  private mutating func chunked(
    _ input: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(RequestError) -> Event {
    guard case .chunked(var decoder) = state else { preconditionFailure("not in a chunked body") }
    state = .fixed(remaining: 0)
    switch try decoder.next(in: input, at: &position, limits: limits) {
    case .needsBytes:
      state = .chunked(decoder)
      return .needsBytes
    case .content(let range):
      state = .chunked(decoder)
      return .content(range)
    case .end:
      state = .start(hasSkippedLine: false)
      offset = 0
      return .end
    }
  }
}
