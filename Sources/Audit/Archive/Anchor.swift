import BSON

/// Where the chain stood at some time, to be kept where nobody who can write the store's file can change it: whoever
/// makes the chain anew, from its first event or any other, arrives elsewhere.
///
///     {"chain":"91ab…","events":500}
public struct Anchor: Hashable, Sendable {
  /// The events that were there, those in archives included: the object key of the next one.
  public let events: Int64
  /// The last one's `chain`; 64 zeros where there was none.
  public let chain: String

  init(events: Int64, chain: String) {
    self.events = events
    self.chain = chain
  }

  /// Reads a line of a file of anchors, which may say more; nil: it is none.
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
