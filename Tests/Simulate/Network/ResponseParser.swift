import GatehouseHTTP

/// Reads responses as a client does (RFC 9112 §6.3, §7.1), from pieces of any size.
struct ResponseParser {
  enum Event {
    case head(status: Int, Fields)
    case content([UInt8])
    case end
  }

  private enum State {
    case head
    case content(Int)
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailer
    case untilClose
  }

  private var unread: [UInt8] = []
  private var state = State.head

  /// Reads a piece. Throws ``Failure`` where it is no response.
  mutating func append(_ bytes: [UInt8]) throws -> [Event] {
    unread += bytes
    var events: [Event] = []
    while let event = try next() { if let event { events.append(event) } }
    return events
  }

  /// The next event, which may be none to tell; nil: more bytes are needed.
  private mutating func next() throws -> Event?? {
    switch state {
    case .head: return try head()
    case .content(0), .chunk(0):
      if case .content = state { return end() }
      state = .chunkEnd
      return .some(nil)
    case .content(let rest):
      guard let piece = take(atMost: rest) else { return nil }
      state = .content(rest - piece.count)
      return .content(piece)
    case .chunk(let rest):
      guard let piece = take(atMost: rest) else { return nil }
      state = .chunk(rest - piece.count)
      return .content(piece)
    case .chunkSize:
      guard let line = line() else { return nil }
      guard let size = Int(line, radix: 16) else { throw Failure("\(line) is no size of a chunk") }
      state = size == 0 ? .trailer : .chunk(size)
      return .some(nil)
    case .chunkEnd:
      guard let line = line() else { return nil }
      guard line.isEmpty else { throw Failure("a chunk goes on: \(line)") }
      state = .chunkSize
      return .some(nil)
    case .trailer:
      guard let line = line() else { return nil }
      return line.isEmpty ? end() : .some(nil)
    case .untilClose:
      guard let piece = take(atMost: .max) else { return nil }
      return .content(piece)
    }
  }

  private mutating func end() -> Event? {
    state = .head
    return .end
  }

  private mutating func take(atMost count: Int) -> [UInt8]? {
    guard !unread.isEmpty else { return nil }
    let piece = Array(unread.prefix(count))
    unread.removeFirst(piece.count)
    return piece
  }

  private mutating func line() -> String? {
    guard let end = unread.firstIndex(of: 0x0A) else { return nil }
    guard end > 0, unread[end - 1] == 0x0D else { return String(decoding: unread[..<end], as: UTF8.self) }
    let line = String(decoding: unread[..<(end - 1)], as: UTF8.self)
    unread.removeFirst(end + 1)
    return line
  }

  private mutating func head() throws -> Event?? {
    guard let end = unread.place(of: [0x0D, 0x0A, 0x0D, 0x0A]) else { return nil }
    let lines = String(decoding: unread[..<end], as: UTF8.self).split(separator: "\r\n")
    unread.removeFirst(end + 4)
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw Failure("\(lines[0]) is no status line")
    }
    if status < 200 { return .some(nil) }
    var fields: [Fields.Line] = []
    for line in lines.dropFirst() {
      let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { throw Failure("\(line) is no field") }
      fields.append(.init(name: String(halves[0]), value: String(halves[1].drop { $0 == " " })))
    }
    return .head(status: status, try begin(status, Fields(fields)))
  }

  private mutating func begin(_ status: Int, _ fields: Fields) throws -> Fields {
    if status == 204 || status == 304 {
      state = .content(0)
    } else if fields["transfer-encoding"] == "chunked" {
      state = .chunkSize
    } else if let length = fields["content-length"] {
      guard let length = Int(length) else { throw Failure("\(length) is no length") }
      state = .content(length)
    } else {
      state = .untilClose
    }
    return fields
  }
}

extension [UInt8] {
  /// The place where other bytes are for the first time.
  func place(of wanted: [UInt8]) -> Int? {
    guard let first = wanted.first, count >= wanted.count else { return nil }
    return withUnsafeBufferPointer { all in
      for start in 0...(all.count - wanted.count) where all[start] == first {
        var length = 1
        while length < wanted.count, all[start + length] == wanted[length] { length += 1 }
        if length == wanted.count { return start }
      }
      return nil
    }
  }
}
