import GatehouseStorage

/// The last pieces of the past that were written, for streams that come to the same place later: those that came first
/// go first.
struct ReplayPieces {
  /// Frames, and how far they go.
  struct Piece {
    let encoded: EncodedEvents
    let end: LogPosition

    /// The bytes that it takes, about.
    fileprivate var size: Int { encoded.bytes.count + 256 }
  }

  private var pieces: [ReplayCursor: Piece] = [:]
  private var order: [ReplayCursor] = []
  /// The bytes that all pieces take, about.
  private(set) var size = 0

  /// The piece behind that place, if it is there.
  subscript(cursor: ReplayCursor) -> Piece? { pieces[cursor] }

  /// Keeps a piece, and others as far as they take at most `limit` bytes with it.
  mutating func keep(_ piece: Piece, at cursor: ReplayCursor, limit: Int) {
    precondition(piece.end >= cursor.position.logged, "a piece goes forward")
    guard pieces[cursor] == nil else { return }
    pieces[cursor] = piece
    order.append(cursor)
    size += piece.size
    trim(to: limit)
  }

  /// Forgets the first pieces until they take at most `limit` bytes.
  mutating func trim(to limit: Int) {
    var count = 0
    while size > limit, count < order.count {
      size -= pieces.removeValue(forKey: order[count])?.size ?? 0
      count += 1
    }
    order.removeFirst(count)
    precondition(size >= 0 && pieces.count == order.count, "the pieces that are kept are counted")
  }
}

/// A place in the past of what is watched.
struct ReplayCursor: Hashable {
  let subscription: Subscription
  let position: EventPosition
}
