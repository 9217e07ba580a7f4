/// The framing of messages between a worker and the gateway.
///
///     frames   length of what follows (4 bytes, little-endian) │ kind (1 byte) │ call (16 bytes) │ payload
///     lines    payload │ line feed
enum Framing: Hashable, Sendable {
  /// A payload is a BSON document, but for the set-up, which is JSON.
  case frames
  /// A payload is a JSON document without a line feed in it, which says itself what it is: ``LineHead``.
  case lines
}

/// A message between a worker and the gateway.
struct Frame: Hashable, Sendable {
  /// The kind of a message. The raw value is a frame's fifth byte.
  enum Kind: UInt8, Sendable {
    /// To Node its configuration, and back once that is loaded.
    case setup = 0x53
    case call = 0x43
    case answer = 0x41
    case question = 0x51
    case reply = 0x52
  }

  let kind: Kind
  /// The call that the message belongs to; nil if it names none.
  var call: CallID?
  let payload: [UInt8]

  /// Bytes of a frame before its payload. The length counts all of them but its own four.
  static let headSize = 5 + CallID.size

  func bytes(as framing: Framing) -> [UInt8] {
    switch framing {
    case .lines: return payload + [UInt8(ascii: "\n")]
    case .frames:
      var bytes: [UInt8] = []
      bytes.reserveCapacity(payload.count + Frame.headSize)
      let length = UInt32(payload.count + Frame.headSize - 4)
      for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: length >> (8 * index))) }
      bytes.append(kind.rawValue)
      bytes += (call ?? .none).bytes
      return bytes + payload
    }
  }
}

/// Takes a stream of bytes apart into messages, in whatever pieces it comes.
struct FrameReader {
  let framing: Framing
  /// The most bytes of a message.
  let limit: Int
  private var bytes: [UInt8] = []
  /// The number of bytes that are known to hold no line feed.
  private var searched = 0

  init(_ framing: Framing, limit: Int) {
    self.framing = framing
    self.limit = limit
  }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  /// Returns the next message; nil until all of it has come.
  mutating func next() throws(FrameError) -> Frame? {
    switch framing {
    case .frames: try nextFrame()
    case .lines: try nextLine()
    }
  }

  private mutating func nextFrame() throws(FrameError) -> Frame? {
    guard bytes.count >= 5 else { return nil }
    let length = bytes[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length >= Frame.headSize - 4, let kind = Frame.Kind(rawValue: bytes[4]) else { throw .malformed }
    guard length <= limit else { throw .tooLarge }
    guard bytes.count >= length + 4 else { return nil }
    let call = CallID(bytes[5..<Frame.headSize])
    let payload = Array(bytes[Frame.headSize..<(length + 4)])
    drop(length + 4)
    return Frame(kind: kind, call: call, payload: payload)
  }

  private mutating func nextLine() throws(FrameError) -> Frame? {
    precondition(searched <= bytes.count, "what was searched is there")
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      if bytes.count > limit { throw .tooLarge }
      return nil
    }
    guard end <= limit else { throw .tooLarge }
    let payload = Array(bytes[..<end])
    drop(end + 1)
    searched = 0
    let head = LineHead(payload)
    return Frame(kind: head.isQuestion ? .question : .answer, call: head.call, payload: payload)
  }

  /// Keeps the memory for the next message, unless that was a large one.
  private mutating func drop(_ count: Int) {
    precondition(count > 0 && count <= bytes.count, "a message that was taken had come whole")
    if count == bytes.count {
      bytes.removeAll(keepingCapacity: count <= 65_536)
    } else {
      bytes.removeFirst(count)
    }
  }
}
