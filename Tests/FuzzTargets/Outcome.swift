import GatehouseHTTP

/// The result of parsing some bytes.
struct Outcome: Equatable {
  private var heads: [String] = []
  private var content: [UInt8] = []
  private var ends = 0
  private var error: RequestError?

  private static let limits: Limits = {
    var limits = Limits()
    limits.requestLine = 200
    limits.head = 500
    limits.fieldCount = 8
    limits.content = 1_000
    limits.chunkLine = 40
    return limits
  }()
  private static let shared = SharedLimits(limits)

  static func ofParsing(_ bytes: [UInt8], pieces: Int) -> Outcome {
    var parser = RequestParser(limits: shared)
    var room = HeadRoom()
    return outcome(bytes, pieces) { (piece, position, outcome) throws(RequestError) in
      switch try parser.next(in: piece, at: &position, using: &room) {
      case .needsBytes: return false
      case .head(let head): outcome.add(head)
      case .content(let range): outcome.content += piece[range]
      case .end: outcome.ends += 1
      }
      return true
    }
  }

  static func ofDecoding(_ bytes: [UInt8], pieces: Int) -> Outcome {
    var decoder = ChunkDecoder()
    return outcome(bytes, pieces) { (piece, position, outcome) throws(RequestError) in
      switch try decoder.next(in: piece, at: &position, limits: limits) {
      case .needsBytes: return false
      case .content(let range): outcome.content += piece[range]
      case .end:
        outcome.ends = 1
        return false
      }
      return true
    }
  }

  private static func outcome(
    _ bytes: [UInt8], _ pieces: Int,
    _ step: (UnsafeRawBufferPointer, inout Int, inout Outcome) throws(RequestError) -> Bool
  ) -> Outcome {
    var outcome = Outcome()
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count, outcome.error == nil {
        let end = start + min(pieces, bytes.count - start)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        var position = 0
        do throws(RequestError) {
          while try step(piece, &position, &outcome) {}
          // A decoder that has come to its end leaves the rest alone.
          if position < piece.count { return }
        } catch {
          outcome.error = error
        }
        start = end
      }
    }
    return outcome
  }

  private mutating func add(_ head: RequestHead) {
    // Both are promised to be there once a head has been parsed.
    let segments = try? head.target.segments()
    let parameters = try? head.target.parameters()
    precondition(segments != nil && parameters != nil)
    heads.append("\(head.method) \(head.target.path) \(head.target.query ?? "-") \(head.framing)")
    for line in head.fields.lines {
      precondition(!line.name.isEmpty && !line.value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f })
      precondition(head.fields[line.name] != nil)
      heads.append("\(line.name): \(line.value)")
    }
  }
}
