import GatehouseBSON

/// The chain at one time, to be kept where nobody who can write the store's file can change it: whoever makes the
/// chain anew, from its first event or any other, arrives at another one.
///
///     {"chain":"91ab…","events":500}
public struct Anchor: Hashable, Sendable {
  /// The number of events up to here, those in archives included: the object key of the next one.
  public let events: Int64
  /// The `chain` of the last of them; 64 zeros if there is none.
  public let chain: String

  init(events: Int64, chain: String) {
    self.events = events
    self.chain = chain
  }

  /// Reads a line of a file of anchors, which may have more members; nil if it is no anchor.
  public init?(line: [UInt8]) {
    guard case .document(let document)? = try? Value(json: line),
      let events = document["events"]?.wholeNumber,
      events >= 0, case .string(let chain)? = document["chain"], chain.utf8.count == Chain.origin.utf8.count
    else { return nil }
    self.init(events: events, chain: chain)
  }

  /// One line of JSON, without line feed.
  public var line: [UInt8] {
    Value.document(["chain": .string(chain), "events": .int64(events)]).plainJSON
  }
}
