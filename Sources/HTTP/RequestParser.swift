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
    case start
    /// An empty line has been skipped before the request line (RFC 9112 §2.2).
    case skippedLine
    case fields
    case fixed(remaining: Int)
    case chunked
  }

  private let shared: SharedLimits
  private var state = State.start
  private var lines = LineReader()
  // Beside the state, not within, so that they are changed in place.
  private var head = HeadReader()
  private var size = HeadSize()
  private var chunks = ChunkDecoder()
  /// Bytes of the request before the unfinished line, for errors.
  private var offset = 0

  public init(limits: SharedLimits) {
    shared = limits
  }

  private var limits: Limits { shared.limits }

  /// Whether nothing of a next request has come yet.
  public var isBetweenRequests: Bool {
    if case .start = state { !lines.isInLine } else { false }
  }

  /// Bytes of content that are still to come, where that is known.
  public var remainingContent: Int? {
    switch state {
    case .start, .skippedLine, .fields: 0
    case .fixed(let remaining): remaining
    case .chunked: nil
    }
  }

  /// What comes next in `input` from `position` on, which is advanced.
  public mutating func next(
    in input: UnsafeRawBufferPointer, at position: inout Int
  ) throws(RequestError) -> Event {
    switch state {
    case .start, .skippedLine, .fields: try nextHead(input, &position)
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
      let isLast: Bool
      switch line {
      case .incomplete: return .needsBytes
      case .inInput(let range):
        isLast = try take(input.part(range.lowerBound, range.upperBound), room: input.count - position)
      case .carried(let bytes):
        // A closure would lose the type of the error.
        isLast = try bytes.withUnsafeBytes { line in
          Result { () throws(RequestError) in try take(line, room: input.count - position) }
        }.get()
      }
      if isLast { return .head(try finishHead()) }
    }
    return .needsBytes
  }

  private var lineLimit: Int {
    if case .fields = state { size.remaining(limits) } else { min(limits.requestLine, limits.head) }
  }

  private func lineFailure(_ failure: LineReader.Failure) -> RequestError {
    switch (failure, state) {
    case (.bareLineFeed(let index), _): RequestError(.bareLineFeed, offset: offset + index)
    case (.tooLong, .fields): RequestError(.headTooLarge, offset: offset)
    case (.tooLong, _): RequestError(.requestLineTooLong, offset: offset)
    }
  }

  /// Takes a line of the head; true when it was the last. About `room` bytes more may belong to the head.
  private mutating func take(_ line: UnsafeRawBufferPointer, room: Int) throws(RequestError) -> Bool {
    switch state {
    case .start where line.isEmpty: state = .skippedLine
    case .start, .skippedLine:
      // Each field line takes four bytes more packed than written; two more are the usual slack.
      try head.begin(line, offset: offset, room: line.count + min(room, 480) + 64)
      size = HeadSize(requestLine: line.count)
      state = .fields
    case .fields where line.isEmpty: return true
    case .fields:
      try size.add(line, offset: offset, limits: limits)
      try head.append(line, offset: offset, limits: limits)
    case .fixed, .chunked: preconditionFailure("no line is read here")
    }
    offset += line.count + 2
    return false
  }

  private mutating func finishHead() throws(RequestError) -> RequestHead {
    let head = try head.finish(offset: offset)
    switch head.framing {
    case .none: begin()
    case .length(let length): state = .fixed(remaining: length)
    case .chunked:
      chunks = ChunkDecoder(offset: offset + 2)
      state = .chunked
    }
    return head
  }

  /// Makes ready for the next request.
  private mutating func begin() {
    state = .start
    offset = 0
  }

  private mutating func fixed(
    _ input: UnsafeRawBufferPointer, _ position: inout Int, remaining: Int
  ) -> Event {
    if remaining == 0 {
      begin()
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
    switch try chunks.next(in: input, at: &position, limits: limits) {
    case .needsBytes: return .needsBytes
    case .content(let range): return .content(range)
    case .end:
      begin()
      return .end
    }
  }
}
