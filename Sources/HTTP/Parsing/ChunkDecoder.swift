/// Takes a chunked body apart (RFC 9112 §7.1), in whatever pieces it comes. Trailers are read and dropped.
///
///     size line ──▶ data ──▶ end ──▶ size line …
///         └─ size 0 ──▶ trailers ──▶ done
public struct ChunkDecoder: Sendable {
  public enum Event: Hashable, Sendable {
    case needsBytes
    /// Content stands in this range of the input.
    case content(Range<Int>)
    case end
  }

  private enum State {
    case sizeLine
    case data(remaining: Int)
    /// The CRLF after the data.
    case dataEnd
    case trailers(HeadSize)
    case done
  }

  private var state = State.sizeLine
  private var lines = LineReader()
  /// Content so far, which the limit bounds.
  private var total = 0
  /// Bytes of the message before the unfinished line, for errors.
  private var offset: Int

  /// A decoder for a body that begins `offset` bytes into its request.
  public init(offset: Int = 0) {
    self.offset = offset
  }

  /// Returns the next event of `input` from `position` on, which is advanced.
  public mutating func next(
    in input: UnsafeRawBufferPointer, at position: inout Int, limits: Limits
  ) throws(RequestError) -> Event {
    while true {
      switch state {
      case .data(let remaining): return content(input, &position, remaining: remaining)
      case .done: return .end
      case .sizeLine, .dataEnd, .trailers:
        guard try readLine(in: input, at: &position, limits: limits) else { return .needsBytes }
      }
    }
  }

  private mutating func content(
    _ input: UnsafeRawBufferPointer, _ position: inout Int, remaining: Int
  ) -> Event {
    precondition(remaining > 0, "the end of a chunk is behind the last of its bytes")
    let count = min(remaining, input.count - position)
    if count == 0 { return .needsBytes }
    state = count == remaining ? .dataEnd : .data(remaining: remaining - count)
    offset += count
    position += count
    return .content(position - count..<position)
  }

  /// Takes one line; false when its end has not come yet.
  private mutating func readLine(
    in input: UnsafeRawBufferPointer, at position: inout Int, limits: Limits
  ) throws(RequestError) -> Bool {
    let line: LineReader.Line
    do {
      line = try lines.next(in: input, at: &position, limit: lineLimit(limits))
    } catch {
      throw lineFailure(error)
    }
    switch line {
    case .incomplete: return false
    case .inInput(let range): try take(input.part(range.lowerBound, range.upperBound), limits)
    case .carried(let bytes):
      // A closure would lose the type of the error.
      let result = bytes.withUnsafeBytes { line in
        Result { () throws(RequestError) in try take(line, limits) }
      }
      try result.get()
    }
    return true
  }

  private func lineLimit(_ limits: Limits) -> Int {
    switch state {
    case .trailers(let size): size.remaining
    case .dataEnd: 0
    case .sizeLine, .data, .done: limits.chunkLine
    }
  }

  private func lineFailure(_ failure: LineError) -> RequestError {
    switch (failure, state) {
    case (.bareLineFeed(let index), _): RequestError(.bareLineFeed, offset: offset + index)
    case (.tooLong, .trailers): RequestError(.headTooLarge, offset: offset)
    case (.tooLong, .dataEnd): RequestError(.malformedChunkEnd, offset: offset)
    case (.tooLong, _): RequestError(.malformedChunkExtension, offset: offset)
    }
  }

  private mutating func take(
    _ line: UnsafeRawBufferPointer, _ limits: Limits
  ) throws(RequestError) {
    switch state {
    case .sizeLine:
      let size = try ChunkSize.parse(line, offset: offset)
      guard size <= limits.content - total else { throw RequestError(.contentTooLarge, offset: offset) }
      total += size
      precondition(total >= size, "content is counted from its start")
      state =
        size == 0
        ? .trailers(HeadSize(head: limits.head, fieldCount: limits.fieldCount)) : .data(remaining: size)
    case .dataEnd: state = .sizeLine
    case .trailers(var size):
      if line.isEmpty {
        state = .done
      } else {
        _ = try FieldLine(line, offset: offset)
        try size.add(line.count, offset: offset)
        state = .trailers(size)
      }
    case .data, .done: preconditionFailure("no line is read here")
    }
    offset += line.count + 2
  }
}
