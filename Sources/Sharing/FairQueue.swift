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
    /// makes room for one of a caller that would have fewer even then. An address counts like a principal.
    case displaces(most: Int)
  }

  private struct Entry {
    /// Its place in the order in which all elements came. What was put back is in front of all.
    let place: Int
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

  /// The elements of each caller that has any, in their order.
  private var lines: [Caller: [Entry]] = [:]
  private let capacity: Int
  private let admission: Admission
  private var places: Holdings
  private var addresses = Ledger<UInt64>()
  private var principals = Ledger<String>()
  private var nextPlace = 0
  private var firstPlace = 0
  public private(set) var count = 0

  public init(capacity: Int, admission: Admission = .shares) {
    if case .displaces(let most) = admission {
      precondition(most >= 0, "a caller has no less than no places to wait")
    }
    self.capacity = capacity
    self.admission = admission
    places = Holdings(capacity: capacity)
  }

  public var isEmpty: Bool { count == 0 }
  /// The element that has waited longest.
  public var oldest: Element? { oldestLine?.first.element }

  /// Adds an element; returns the one that had to make room for it, which is in the queue no longer.
  @discardableResult
  public mutating func append(_ element: Element, for caller: Caller) throws(SharingError) -> Element? {
    var displaced: Element?
    switch admission {
    case .shares: try places.take(1, for: caller)
    case .displaces(let most):
      displaced = try makeRoom(for: caller, most: most)
      places.add(1, to: caller)
    }
    lines[caller, default: []].append(Entry(place: nextPlace, element: element))
    nextPlace += 1
    count += 1
    precondition(count == places.total, "whoever waits has one place")
    return displaced
  }

  /// Puts elements back that had their turn and were not served, in front of all others of their callers. There is always
  /// room for them.
  public mutating func putBack(_ elements: [(element: Element, caller: Caller)]) {
    for (element, caller) in elements.reversed() {
      firstPlace -= 1
      lines[caller, default: []].insert(Entry(place: firstPlace, element: element), at: 0)
      count += 1
      places.add(1, to: caller)
    }
    precondition(count == places.total, "whoever waits has one place")
  }

  /// Returns the element that has made room; nil: there was room.
  private mutating func makeRoom(for caller: Caller, most: Int) throws(SharingError) -> Element? {
    guard places.held(by: caller) < most else { throw .share }
    guard count >= capacity else { return nil }
    let largest = lines.max { one, other in
      (places.held(by: one.key), one.value.count, one.value.last?.place ?? 0)
        < (places.held(by: other.key), other.value.count, other.value.last?.place ?? 0)
    }
    guard let (largest, entries) = largest, hasMore(largest, than: caller) else { throw .exhausted }
    return remove(at: entries.count - 1, of: largest)
  }

  /// Whether the one would still not have fewer places than the other if it gave one away to it. Users of one address, who
  /// have its places together, are told apart by their own.
  private func hasMore(_ one: Caller, than other: Caller) -> Bool {
    if places.held(by: one) > places.held(by: other) + 1 { return true }
    return one.address == other.address && (lines[one]?.count ?? 0) > (lines[other]?.count ?? 0) + 1
  }

  /// Returns the element whose turn it is among those of the callers for which the condition holds.
  public func first(where isAllowed: (Caller) -> Bool = { _ in true }) -> Element? {
    next(where: isAllowed).flatMap { lines[$0]?.first?.element }
  }

  /// Removes and returns the element whose turn it is among those of the callers for which the condition holds.
  public mutating func popFirst(
    where isAllowed: (Caller) -> Bool = { _ in true }
  ) -> (element: Element, caller: Caller)? {
    guard let caller = next(where: isAllowed) else { return nil }
    serve(caller)
    return (remove(at: 0, of: caller), caller)
  }

  /// Notes that a caller is being served that did not have to wait: callers that come later begin at its virtual time.
  public mutating func serve(_ caller: Caller) {
    addresses.serve(caller.address)
    if !caller.principal.isEmpty { principals.serve(caller.principal) }
  }

  private func next(where isAllowed: (Caller) -> Bool) -> Caller? {
    var best: (caller: Caller, time: (UInt64, UInt64, Int))?
    for (caller, entries) in lines {
      let spent = time(of: caller)
      let time = (spent.0, spent.1, entries.first?.place ?? 0)
      if let best, best.time < time { continue }
      if isAllowed(caller) { best = (caller, time) }
    }
    return best?.caller
  }

  /// Removes an element that waits no longer; nil if it is not in the queue.
  public mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
    for (caller, entries) in lines {
      if let index = entries.firstIndex(where: { condition($0.element) }) {
        return remove(at: index, of: caller)
      }
    }
    return nil
  }

  /// Removes the elements from the oldest on for which the condition holds, up to the first for which it does not.
  public mutating func removeOldest(while condition: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    while let (caller, first) = oldestLine, condition(first.element) {
      removed.append(remove(at: 0, of: caller))
    }
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

  /// The caller of the element that has waited longest, and that element.
  private var oldestLine: (caller: Caller, first: Entry)? {
    var oldest: (caller: Caller, first: Entry)?
    for (caller, entries) in lines {
      guard let first = entries.first else { continue }
      if first.place < oldest?.first.place ?? .max { oldest = (caller, first) }
    }
    return oldest
  }

  private mutating func remove(at index: Int, of caller: Caller) -> Element {
    guard var entries = lines.removeValue(forKey: caller) else {
      preconditionFailure("what is taken out of the queue is in it")
    }
    precondition(
      index == 0 || entries[index - 1].place < entries[index].place, "a caller's elements are in their order")
    let element = entries.remove(at: index).element
    if !entries.isEmpty { lines[caller] = entries }
    count -= 1
    places.give(1, of: caller)
    precondition(count == places.total, "whoever waits has one place")
    precondition((count == 0) == lines.isEmpty, "a caller has a line where it has elements")
    return element
  }
}
