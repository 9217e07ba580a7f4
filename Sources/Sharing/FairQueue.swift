/// A bounded queue in which each caller waits for no more than its share: start-time fair queueing (Goyal, Vin and Cheng,
/// SIGCOMM 1996).
///
/// The cost spent on a caller is its virtual time; the one with the least is next, and of equals the first. A
/// caller that comes anew begins at the virtual time of the one that was served last, not with all that it did
/// not use. An address counts like a principal: the one on which more was spent decides.
public struct FairQueue<Element> {
  /// Who gets a place to wait.
  public enum Admission: Sendable {
    /// Callers share the places as ``Holdings`` does: who comes with many finds that some are left to others.
    case shares
    /// Each caller may have up to `most` places. Where all places are taken, the last element of the caller that has most
    /// makes room for one of a caller that would have fewer even then.
    case displaces(most: Int)
  }

  private struct Entry {
    let caller: Caller
    let element: Element
  }

  /// The virtual times of the callers that share the queue.
  private struct Ledger<Key: Hashable> {
    /// The number of virtual times beyond which those that are not ahead are forgotten.
    private static var capacity: Int { 1_024 }

    private var spent: [Key: UInt64] = [:]
    private var floor: UInt64 = 0

    func time(of key: Key) -> UInt64 { max(spent[key] ?? 0, floor) }

    mutating func serve(_ key: Key) { floor = max(floor, time(of: key)) }

    mutating func charge(_ amount: UInt64, to key: Key) {
      spent[key] = time(of: key) + amount
      guard spent.count > Self.capacity else { return }
      spent = spent.filter { $0.value > floor }
      if spent.count > Self.capacity { spent = [:] }
    }
  }

  // In the order in which they came.
  private var entries: [Entry] = []
  private let capacity: Int
  private let admission: Admission
  private var places: Holdings
  private var addresses = Ledger<UInt64>()
  private var principals = Ledger<String>()

  public init(capacity: Int, admission: Admission = .shares) {
    self.capacity = capacity
    self.admission = admission
    places = Holdings(capacity: capacity)
  }

  public var isEmpty: Bool { entries.isEmpty }
  public var count: Int { entries.count }
  /// The element that has waited longest.
  public var oldest: Element? { entries.first?.element }

  /// Adds an element; returns the one that had to make room for it, which is in the queue no longer.
  @discardableResult
  public mutating func append(_ element: Element, for caller: Caller) throws(SharingError) -> Element? {
    var displaced: Element?
    switch admission {
    case .shares: try places.take(1, for: caller)
    case .displaces(let most): displaced = try makeRoom(for: caller, most: most)
    }
    entries.append(Entry(caller: caller, element: element))
    return displaced
  }

  /// Returns the element that has made room; nil: there was room.
  private mutating func makeRoom(for caller: Caller, most: Int) throws(SharingError) -> Element? {
    let own = entries.count { $0.caller == caller }
    guard own < most else { throw .share }
    guard entries.count >= capacity else { return nil }
    let counts = Dictionary(grouping: entries, by: \.caller).mapValues(\.count)
    let count = counts.values.max() ?? 0
    guard count > own + 1, let index = entries.lastIndex(where: { counts[$0.caller] == count }) else {
      throw .exhausted
    }
    return entries.remove(at: index).element
  }

  /// Removes and returns the element whose turn it is.
  public mutating func popFirst() -> (element: Element, caller: Caller)? {
    var best: (index: Int, time: (UInt64, UInt64))?
    for (index, entry) in entries.enumerated() {
      let time = time(of: entry.caller)
      if let best, best.time <= time { continue }
      best = (index, time)
    }
    guard let best else { return nil }
    let caller = entries[best.index].caller
    addresses.serve(caller.address)
    if !caller.principal.isEmpty { principals.serve(caller.principal) }
    return (removeEntry(at: best.index), caller)
  }

  /// Removes an element that waits no longer; nil if it is not in the queue.
  public mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
    entries.firstIndex { condition($0.element) }.map { removeEntry(at: $0) }
  }

  /// Removes the elements from the oldest on for which the condition holds, up to the first for which it does not.
  public mutating func removeOldest(while condition: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    while let first = entries.first, condition(first.element) { removed.append(removeEntry(at: 0)) }
    return removed
  }

  /// Counts `amount` as spent on the caller.
  public mutating func charge(_ amount: UInt64, to caller: Caller) {
    addresses.charge(amount, to: caller.address)
    if !caller.principal.isEmpty { principals.charge(amount, to: caller.principal) }
  }

  /// The larger one first: users of one address are told apart by what was spent on each.
  private func time(of caller: Caller) -> (UInt64, UInt64) {
    let address = addresses.time(of: caller.address)
    let principal = caller.principal.isEmpty ? address : principals.time(of: caller.principal)
    return (max(address, principal), min(address, principal))
  }

  private mutating func removeEntry(at index: Int) -> Element {
    let entry = entries.remove(at: index)
    if case .shares = admission { places.give(1, of: entry.caller) }
    return entry.element
  }
}
