/// Calls that wait for a worker: each caller's in the order in which they came, and the callers in turn.
struct CallQueue {
  private var lines: [String: [PendingCall]] = [:]
  /// The callers that have calls in the queue; the first one is next.
  private var turns: [String] = []
  private(set) var count = 0

  /// The call that has waited longest.
  var oldest: PendingCall? {
    lines.values.compactMap(\.first).min { $0.start < $1.start }
  }

  /// Returns the next call in turn, of the callers that are allowed one.
  func next(where isAllowed: (String) -> Bool) -> PendingCall? {
    turns.first(where: isAllowed).flatMap { lines[$0]?.first }
  }

  mutating func append(_ call: PendingCall) {
    if lines[call.caller] == nil { turns.append(call.caller) }
    lines[call.caller, default: []].append(call)
    count += 1
  }

  /// Puts back calls that had their turn, in front of the others.
  mutating func insert(_ calls: [PendingCall]) {
    for call in calls.reversed() {
      if lines[call.caller] == nil { turns.insert(call.caller, at: 0) }
      lines[call.caller, default: []].insert(call, at: 0)
    }
    count += calls.count
  }

  mutating func popNext(where isAllowed: (String) -> Bool) -> PendingCall? {
    guard let call = next(where: isAllowed) else { return nil }
    remove(call)
    // The others come first now.
    if lines[call.caller] != nil, turns.count > 1 {
      turns.removeAll { $0 == call.caller }
      turns.append(call.caller)
    }
    return call
  }

  /// Removes the call; false if it is not in the queue.
  @discardableResult
  mutating func remove(_ call: PendingCall) -> Bool {
    guard let index = lines[call.caller]?.firstIndex(where: { $0 === call }) else { return false }
    lines[call.caller]?.remove(at: index)
    count -= 1
    if lines[call.caller]?.isEmpty == true {
      lines[call.caller] = nil
      turns.removeAll { $0 == call.caller }
    }
    return true
  }

  /// Removes the last call of the caller that has the most, to make room for one of `caller`, who has fewer; nil if
  /// the difference is too small for that to be fair.
  mutating func displace(for caller: String) -> PendingCall? {
    guard let longest = lines.values.max(by: { $0.count < $1.count }),
      longest.count > (lines[caller]?.count ?? 0) + 1, let last = longest.last
    else { return nil }
    remove(last)
    return last
  }
}
