extension Scenario {
  /// How large the worlds of seeds are.
  enum Sizes {
    /// As ``init(seed:)`` draws them: most of what there is happens in each.
    case full
    /// A few clients, requests and features in most of them, so that many more seeds can be run; one in 128 is full.
    case small
  }

  /// The scenario that the seed has among worlds of those sizes.
  init(seed: UInt64, sizes: Sizes) {
    self.init(seed: seed)
    self.sizes = sizes
    if sizes == .small { shrink() }
  }

  private mutating func shrink() {
    var generator = generator(67)
    func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }
    guard pick(Array(0..<128)) > 0 else { return }
    clients = pick([1, 1, 2, 2, 3])
    requests = pick([1, 2, 3, 4, 6, 10])
    objects = pick([1, 2, 4])
    padding = pick([0, 0, 0, 0, 300, 3_000])
    crashes = pick([0, 1, 1, 1, 2])
    faults = pick([0, 1, 1, 2])
    watchers = pick([0, 1, 1, 2])
    streams = pick([0, 0, 0, 1])
    lulls = pick([0, 0, 0, 1])
    stalls = pick([0, 0, 0, 2])
    trims = pick([0, 0, 0, 2])
    probes = pick([0, 0, 0, 1])
    for path in [\Scenario.hasFunctions, \.hasAccessChanges, \.hasConditions, \.hasConnections] {
      self[keyPath: path] = pick([true, false, false])
    }
    for path in [
      \Scenario.hasIntruder, \.isAudited, \.hasSchemaChanges, \.hasCare, \.hasUsers, \.hasScopes, \.isDamaged,
      \.hasTriggers, \.hasPrograms, \.hasReplica, \.hasDurableLog, \.hasClassChanges,
    ] {
      self[keyPath: path] = pick(Array(0..<8)) == 0
    }
    hasScopes = hasScopes && isAudited
    hasDurableLog = hasDurableLog && hasReplica
    if logSize != nil { logSize = pick([nil, nil, nil, 20_000]) }
    if pick(Array(0..<10)) == 0 { failReads() }
    readers = pick([0, 0, 0, 0, 0, 0, 0, 1])
  }

  /// Has streams read the log from a disk that fails, a change at a time, several commits behind: what they do then happens in one of
  /// hundreds of such worlds, and in one of a hundred thousand others.
  private mutating func failReads() {
    (clients, requests, crashes, faults) = (4, 12, 0, 8)
    (watchers, streams, handovers, latency) = (3, 2, 500, 0)
    (followedBytes, liveChanges, padding, logSize) = (0, 1, 0, nil)
    (hasConnections, isAudited, hasTriggers, hasUsers) = (false, false, false, false)
    (hasScopes, hasPrograms, hasReplica, hasDurableLog) = (false, false, false, false)
  }
}
