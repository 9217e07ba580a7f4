/// Takes a stream of bytes apart into requests (RFC 9112), in whatever pieces it comes.
///
///     head ──empty line──▶ head is given
///      ▲                        │ no content
///      ├────────────────────────┤
///      │                        ▼
///      └── end is given ◀── fixed, chunked
///
/// The events do not depend on where the input is cut. After an error no more may be asked for.
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
    case head
    case fixed(remaining: Int)
    case chunked
  }

  private let shared: SharedLimits
  private var state = State.head
  /// A head whose end has not come, from its first byte on.
  private var carry: [UInt8] = []
  /// How long `carry` may become before the line that it ends in must have ended.
  private var bound = 0
  // Beside the state, not within, so that it is changed in place.
  private var chunks = ChunkDecoder()

  public init(limits: SharedLimits) {
    shared = limits
  }

  /// Whether nothing of a next request has come yet.
  public var isBetweenRequests: Bool {
    if case .head = state { carry.isEmpty } else { false }
  }

  /// Bytes of content that are still to come, where that is known.
  public var remainingContent: Int? {
    switch state {
    case .head: 0
    case .fixed(let remaining): remaining
    case .chunked: nil
    }
  }

  /// Returns the next event of `input` from `position` on, which is advanced. Heads are read into `room`.
  public mutating func next(
    in input: UnsafeRawBufferPointer, at position: inout Int, using room: inout HeadRoom
  ) throws(RequestError) -> Event {
    switch state {
    case .head: try nextHead(in: input, at: &position, using: &room)
    case .fixed(let remaining): fixed(input, &position, remaining: remaining)
    case .chunked: try chunked(input, &position)
    }
  }

  private mutating func nextHead(
    in input: UnsafeRawBufferPointer, at position: inout Int, using room: inout HeadRoom
  ) throws(RequestError) -> Event {
    let rest = input.part(position, input.count)
    if rest.isEmpty { return .needsBytes }
    guard carry.isEmpty else { return try carriedHead(rest, at: &position, using: &room) }
    guard let head = try readHead(rest, &room) else {
      carry = Array(rest)
      position = input.count
      return .needsBytes
    }
    position += head.length
    return .head(head)
  }

  /// Goes on with a head of which something has come before.
  private mutating func carriedHead(
    _ rest: UnsafeRawBufferPointer, at position: inout Int, using room: inout HeadRoom
  ) throws(RequestError) -> Event {
    carry.append(contentsOf: rest)
    position += rest.count
    // Without the end of a line there is nothing new, unless the line has become too long.
    if carry.count <= bound, rest.firstLineFeed(from: 0) == nil { return .needsBytes }
    var bytes: [UInt8] = []
    swap(&bytes, &carry)
    // A closure would lose the type of the error.
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(RequestError) in try readHead(bytes, &room) }
    }
    guard let head = try result.get() else {
      swap(&bytes, &carry)
      return .needsBytes
    }
    precondition(
      head.length <= bytes.count && bytes.count - head.length <= rest.count,
      "a head ends in what came last of it")
    position -= bytes.count - head.length
    return .head(head)
  }

  /// The head that stands in `bytes`; nil when more of it must come.
  private mutating func readHead(
    _ bytes: UnsafeRawBufferPointer, _ room: inout HeadRoom
  ) throws(RequestError) -> RequestHead? {
    var reader = HeadReader(bytes, limits: shared.head, packed: room.take())
    defer { room.keep(reader.packed) }
    guard let head = try reader.read() else {
      bound = reader.bound
      return nil
    }
    begin(head)
    return head
  }

  /// Makes ready for what follows the head.
  private mutating func begin(_ head: RequestHead) {
    switch head.framing {
    case .none: break
    case .length(let length): state = .fixed(remaining: length)
    case .chunked:
      chunks = ChunkDecoder(offset: head.length)
      state = .chunked
    }
  }

  private mutating func fixed(
    _ input: UnsafeRawBufferPointer, _ position: inout Int, remaining: Int
  ) -> Event {
    precondition(remaining >= 0 && carry.isEmpty, "content comes behind its whole head")
    if remaining == 0 {
      state = .head
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
    switch try chunks.next(in: input, at: &position, limits: shared.limits) {
    case .needsBytes: return .needsBytes
    case .content(let range): return .content(range)
    case .end:
      state = .head
      return .end
    }
  }
}
