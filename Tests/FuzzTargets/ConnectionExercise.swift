import GatehouseHTTP

/// Plays client, handler and clock to a connection; every byte says what happens next.
struct ConnectionExercise {
  private var random: UInt64
  private var room = HeadRoom()

  init(seed: UInt8) {
    random = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
  }

  func run(_ input: [UInt8]) {
    var copy = self
    copy.play(input)
  }

  private mutating func play(_ input: [UInt8]) {
    var limits = Limits()
    limits.gatheredContent = 8
    limits.skippedContent = 16
    limits.content = 200
    var now = MonotonicTime(nanoseconds: 0)
    var connection = Connection(limits: SharedLimits(limits), now: now)
    var writer = ResponseWriter(capacity: 1_024)
    var start = 0
    while start < input.count, !connection.isFinished {
      let end = min(input.count, start + Int(next() % 40) + 1)
      let taken = feed(Array(input[start..<end]), to: &connection, &writer, now)
      start += taken
      now.nanoseconds += next() % 5_000_000_000
      step(&connection, &writer, now)
      // Held bytes are offered again; a request that is never answered would hold them for ever.
      if taken == 0, connection.isAnswering { answer(&connection, &writer, now) }
    }
    _ = connection.receiveEnd(now: now)
    if connection.isAnswering { answer(&connection, &writer, now) }
    precondition(!connection.isAnswering)
  }

  /// How many bytes were taken.
  private mutating func feed(
    _ bytes: [UInt8], to connection: inout Connection, _ writer: inout ResponseWriter, _ now: MonotonicTime
  ) -> Int {
    bytes.withUnsafeBytes { bytes in
      var position = 0
      while true {
        let wasAnswering = connection.isAnswering
        switch connection.next(in: bytes, at: &position, using: &room, now: now) {
        case .read:
          precondition(position == bytes.count)
          return position
        case .hold:
          precondition(connection.isAnswering)
          return position
        case .respond:
          precondition(!wasAnswering && connection.isAnswering)
          if next() % 2 == 0 { answer(&connection, &writer, now) }
        case .content(let range): precondition(range.upperBound <= bytes.count)
        case .contentEnd, .contentFailure: break
        case .refuse(let error):
          precondition(!wasAnswering)
          connection.refuse(error, id: nil, into: &writer, now: now)
          precondition(connection.isFinished)
        }
      }
    }
  }

  /// Something other than input happens, or nothing.
  private mutating func step(
    _ connection: inout Connection, _ writer: inout ResponseWriter, _ now: MonotonicTime
  ) {
    switch next() % 8 {
    case 0, 1: if connection.isAnswering { answer(&connection, &writer, now) }
    case 2: connection.continue(into: &writer, now: now)
    case 3: expire(&connection, &writer, now)
    case 4: connection.pauseContent()
    case 5: connection.resumeContent(now: now)
    case 6: if next() % 8 == 0 { _ = connection.drain() }
    case 7: if next() % 8 == 0 { connection.notePeerFinished(now: now) }
    default: break
    }
  }

  private mutating func expire(
    _ connection: inout Connection, _ writer: inout ResponseWriter, _ now: MonotonicTime
  ) {
    guard let deadline = connection.deadline, deadline <= now else { return }
    switch connection.expire(now: now) {
    case .refuse(let error):
      precondition(!connection.isAnswering)
      connection.refuse(error, id: nil, into: &writer, now: now)
    case .probe:
      precondition(connection.isAnswering)
      connection.probe(into: &writer)
    case .nothing, .close, .contentFailure: break
    }
  }

  private mutating func answer(
    _ connection: inout Connection, _ writer: inout ResponseWriter, _ now: MonotonicTime
  ) {
    writer.output.removeAll()
    let isStream = next() % 3 == 0
    let body: ResponseBody = isStream ? .stream { _ in } : .bytes([0x61, 0x62])
    let response = Response(status: next() % 4 == 0 ? .noContent : .ok, body: body)
    if connection.respond(response, id: .made(random), into: &writer, now: now) == .stream {
      connection.write([0x61], into: &writer)
      connection.finishResponse(into: &writer, now: now)
    }
    precondition(!connection.isAnswering && writer.output.bytes.starts(with: "HTTP/1.1 ".utf8))
  }

  private mutating func next() -> UInt64 {
    // xorshift64
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return random
  }
}
