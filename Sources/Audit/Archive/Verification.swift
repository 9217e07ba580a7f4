public import GatehouseBSON
public import GatehouseModel

/// Goes along the chain from its first event to its last and finds where it breaks.
///
/// Feed it the archives in the order of their keys, then the objects in the order of theirs; it keeps no more than
/// one event.
public struct Verification: Sendable {
  /// The first event that is not as it was stored, or not where it was.
  public struct Break: Hashable, Sendable {
    /// The way in which a trail fails its verification.
    public enum Reason: String, Hashable, Sendable {
      /// The event, or the chain before it, was changed.
      case altered
      /// Events before it are missing.
      case gap
      /// The object or line is no event.
      case unreadable
      /// Events behind the last one are missing.
      case cutOff
      /// The chain up to the event is not the one that was anchored.
      case rebuilt
    }

    /// The key of the event, or the key where it should be.
    public let key: ObjectKey
    /// The event's identifier; nil where it is not known.
    public let id: ObjectID?
    public let reason: Reason
  }

  /// The number of events that are as they were stored.
  public private(set) var events = 0
  /// The first event where the chain breaks; nil if it has not broken so far.
  public private(set) var firstBreak: Break?

  private var next: ObjectKey?
  private var chain = Chain.origin
  /// The oldest event, while the chain before it is known only from a `retention` event further on.
  private var orphan: ChainedEvent?
  private var previousOfOrphan: String?

  /// The chains of the anchors that are still to be met, by the number of events before them.
  private var anchors: [Int64: Set<String>] = [:]
  /// The number of anchors that the chain met.
  public private(set) var metAnchors = 0
  /// The number of anchors whose events were moved to archives that are not here.
  public private(set) var unseenAnchors = 0

  /// Begins a verification against anchors that were kept elsewhere.
  public init(anchors: [Anchor] = []) {
    for anchor in anchors { self.anchors[anchor.events, default: []].insert(anchor.chain) }
    meetAnchor(at: 0, nil)
  }

  /// The end of the chain, once everything was added and nothing is broken.
  public var anchor: Anchor { Anchor(events: (next ?? ObjectKey(0)).value, chain: chain) }

  /// Compares the chain with the anchors that name this place: `count` events have been read, the last of which is
  /// `event`.
  private mutating func meetAnchor(at count: Int64, _ event: ChainedEvent?) {
    guard !anchors.isEmpty, let chains = anchors.removeValue(forKey: count) else { return }
    guard chains == [chain] else {
      firstBreak = Break(key: ObjectKey(max(0, count - 1)), id: event?.id, reason: .rebuilt)
      return
    }
    metAnchors += 1
  }

  /// Adds a line of an archive: its first line, an event, or its last line.
  public mutating func add(line: [UInt8]) {
    guard firstBreak == nil else { return }
    guard case .document(let document)? = try? Value(json: line) else { return fail(.unreadable, nil) }
    if case .string(let previous)? = document["previous"] { return begin(document["first"], previous) }
    if document["events"] != nil {
      if document["chain"] != .string(chain) { fail(.altered, nil) }
      return
    }
    guard let key = next, let event = ChainedEvent(line: document, key: key) else {
      return fail(.unreadable, nil)
    }
    add(event)
  }

  /// Begins an archive, whose first line has the key of its first event and the chain before it.
  private mutating func begin(_ first: Value?, _ previous: String) {
    // A file may hold any number: no key is beyond these, and counting on from them never overflows.
    guard let first = first?.wholeNumber, (0...ObjectKey.largest).contains(first) else {
      return fail(.unreadable, nil)
    }
    if let next {
      if next.value != first { return fail(.gap, nil) }
      if previous != chain { return fail(.altered, nil) }
    } else if first == 0, previous != Chain.origin {
      return fail(.altered, nil)
    }
    if next == nil, first > 0 {
      unseenAnchors = anchors.filter { $0.key < first }.count
      anchors = anchors.filter { $0.key >= first }
    }
    next = ObjectKey(first)
    chain = previous
    meetAnchor(at: first, nil)
  }

  /// Adds an object of the store.
  public mutating func add(object image: Mixed, key: ObjectKey) {
    guard firstBreak == nil else { return }
    if let next, key != next { return fail(.gap, nil) }
    guard let event = ChainedEvent(image, key: key) else {
      next = key
      return fail(.unreadable, nil)
    }
    note(event)
    if next == nil, key.value > 0 {
      // The archives are elsewhere. What is said of them further on is part of the chain itself.
      orphan = event
      next = ObjectKey(key.value + 1)
      chain = event.chain
      events += 1
      unseenAnchors = anchors.filter { $0.key <= key.value }.count
      anchors = anchors.filter { $0.key > key.value }
      return meetAnchor(at: key.value + 1, event)
    }
    next = key
    add(event)
  }

  private mutating func add(_ event: ChainedEvent) {
    guard event.follows(chain) else { return fail(.altered, event.id) }
    chain = event.chain
    events += 1
    next = ObjectKey(event.key.value + 1)
    meetAnchor(at: event.key.value + 1, event)
  }

  /// Remembers the archive that a `retention` event reports.
  private mutating func note(_ event: ChainedEvent) {
    guard let orphan = orphan ?? (next == nil ? event : nil),
      event.event.event == StoredEvent.Kind.retention.rawValue, let data = event.event.data,
      case .document(let document)? = try? Value(json: Array(data.utf8)),
      case .string(let chain)? = document["chain"], document["next"]?.wholeNumber == orphan.key.value
    else { return }
    previousOfOrphan = chain
  }

  /// Ends the verification; `nextKey` is the key that the store will give to the next event.
  public mutating func finish(nextKey: ObjectKey?) {
    guard firstBreak == nil else { return }
    if let orphan {
      guard let previousOfOrphan else { return fail(.gap, orphan) }
      if !orphan.follows(previousOfOrphan) { return fail(.altered, orphan) }
    }
    let last = next ?? ObjectKey(0)
    // All anchors must have been met.
    if nextKey.map({ $0 != last }) ?? false || !anchors.isEmpty { fail(.cutOff, nil) }
  }

  private mutating func fail(_ reason: Break.Reason, _ event: ChainedEvent) {
    precondition(firstBreak == nil, "the first break is the one that is told")
    firstBreak = Break(key: event.key, id: event.id, reason: reason)
  }

  private mutating func fail(_ reason: Break.Reason, _ id: ObjectID?) {
    precondition(firstBreak == nil, "the first break is the one that is told")
    firstBreak = Break(key: next ?? ObjectKey(0), id: id, reason: reason)
  }
}
