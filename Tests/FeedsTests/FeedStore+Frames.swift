import GatehouseBSON
import GatehouseModel
import GatehouseStorage

@testable import GatehouseFeeds

/// How the past is known: an iterator that looks ahead in memory, or one that asks an index.
enum Mode: CaseIterable, Sendable {
  case live, replayed

  /// The cache of objects of a replay, so small that it forgets all of them at once.
  var cache: ObjectStateCache? {
    guard self == .replayed else { return nil }
    var memory = ReplayMemory()
    memory.states = 20
    return ObjectStateCache(HistoryIndex(), memory)
  }
}

extension FeedStore {
  /// The time of all commits, as events have it.
  static let time = #""time":"2023-11-14T22:13:20Z""#

  /// Returns the frames that a subscription is told of everything behind a version, and which objects they show.
  func events(_ subscription: Subscription, after version: Int64, _ mode: Mode = .live) throws
    -> EncodedEvents
  {
    let bound = try subscription.bound(in: store.schema)
    let group = SubscriberGroup(number: 1, subscription, bound)
    let producer = EventProducer(
      from: EventPosition(LogPosition(version: version)), schema: store.schema, limit: 10_000,
      past: mode.cache)
    producer.add(group, bound)
    try reader.snapshot { (snapshot) throws(StorageError) -> Void in
      try producer.look(snapshot)
      guard mode == .replayed else {
        while try producer.advance(snapshot, limit: 1) {}
        return
      }
      let end = LogPosition(version: snapshot.version)
      while true {
        switch try producer.replay(snapshot, through: end, limit: 1, size: 1 << 20) {
        case .limit: break
        case .unindexed: _ = try producer.extendIndex(snapshot)
        case .end: return
        }
      }
    }
    return group.takeEncoded()
  }

  /// Returns the same as lines `id event data`, with the time of the commits left out.
  func lines(_ subscription: Subscription, after version: Int64, _ mode: Mode = .live) throws -> [String] {
    try events(subscription, after: version, mode).lines
  }

  /// Calls `body` with every object of `identities` at each position behind a version, in the order of the log: first
  /// as it is at that version, then behind each change.
  func history(
    of identities: [Identity], after version: Int64, _ mode: Mode,
    _ body: (LogPosition, [ObjectState?], HistoricalSnapshot) -> Void
  ) throws {
    let iterator = HistoryIterator(
      from: LogPosition(version: version), schema: store.schema, classes: nil, past: mode.cache)
    try reader.snapshot { (snapshot) throws(StorageError) -> Void in
      try iterator.look(snapshot)
      let links = iterator.layouts.schema.objectTypes.compactMap { iterator.layouts[$0.name] }
        .filter(\.mayLink)
      if let index = iterator.past?.index {
        let start = LogPosition(version: version)
        while !index.covers(start, linksOf: links, in: snapshot) {
          try index.extend(to: start, linksOf: links, in: snapshot)
        }
      }
      while true {
        let history = HistoricalSnapshot(iterator, snapshot)
        body(iterator.reached, identities.map { history.object($0) }, history)
        if let failure = history.takeFailure() { throw failure }
        guard let change = try iterator.peek(snapshot) else { return }
        iterator.pass(change)
      }
    }
  }
}

extension EncodedEvents {
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The frames as lines `id event data`, with the time of the commits left out.
  var lines: [String] {
    text.split(separator: "\n\n").map { frame in
      frame.split(separator: "\n").map { line in
        line.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
      }.joined(separator: " ").split(separator: "," + FeedStore.time).joined()
    }
  }
}

extension ObjectState {
  /// The object as GET shows it.
  func text(in history: HistoricalSnapshot) -> String {
    var json = PlainJSONWriter(appendingTo: [])
    ObjectEncoder(history: history).write(self, showing: nil, to: &json)
    return String(decoding: json.finish(), as: UTF8.self)
  }
}
