import GatehouseFeeds
import GatehouseHTTP

/// Where an event stream begins: a place in the log of one store, or one in that of each shard, `12-3_7_15-0-2`.
enum ShardPositions: Sendable {
  /// The same of each store.
  case same(StreamStart)
  /// Behind a position of each shard, in their order.
  case each([EventPosition], isResumption: Bool)

  /// Reads where a stream is to go on. A text that is no position of ours is no reason to refuse an EventSource,
  /// which would never come again, nor to lose events without a word.
  init(resuming text: String) {
    self = ShardPositions.positions(text).map { .each($0, isResumption: true) } ?? .same(.unknown)
  }

  /// Reads the parameter `since`. Throws ``APIError/invalidParameter(_:)``.
  init(since text: String?) throws(APIError) {
    guard let text else {
      self = .same(.fresh)
      return
    }
    if let positions = ShardPositions.positions(text), positions.count > 1 || positions[0].part != nil {
      self = .each(positions, isResumption: false)
    } else {
      self = .same(.log(try ReadChanges.start(text)))
    }
  }

  private static func positions(_ text: String) -> [EventPosition]? {
    let parts = text.split(separator: ShardVersions.separator, omittingEmptySubsequences: false)
    let positions = parts.compactMap { EventPosition(text: String($0)) }
    return positions.count == parts.count ? positions : nil
  }

  /// Returns where each of `count` streams begins. Throws ``APIError/invalidParameter(_:)`` where the position is one of another number of
  /// stores.
  func starts(of count: Int) throws(APIError) -> [StreamStart] {
    switch self {
    // A position is one in the log of one store.
    case .same(.log(let start)) where count > 1 && start.version != nil: throw .invalidParameter(.since)
    case .same(let start): return Array(repeating: start, count: count)
    case .each(let positions, _) where positions.count == count: return positions.map { .after($0) }
    case .each(_, isResumption: true): return Array(repeating: .unknown, count: count)
    case .each(_, isResumption: false): throw .invalidParameter(.since)
    }
  }
}
