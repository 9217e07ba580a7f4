/// Limits how often something may fail in a period, for each key.
///
/// The table is set-associative, and so bounded: a key has its place in one set of eight, and a new one there
/// replaces the key that has failed least. Whoever makes up keys displaces keys like these, not one that has failed
/// often; which keys share a set, nobody outside knows, since hashes are seeded.
public struct AttemptLimit: Sendable {
  private struct Entry {
    let key: Int
    var begin: Int64
    var count: Int

    func isCurrent(at now: Int64, _ period: Int64) -> Bool { (0..<period).contains(now - begin) }
  }

  private static let sets = 2_048
  private static let ways = 8

  /// The most keys in the table.
  static let capacity = sets * ways

  /// Seconds after which the failures of a key are forgotten.
  public let period: Int64
  public let limit: Int
  private var entries: [[Entry]] = []

  public init(limit: Int, period: Int64) {
    precondition(limit >= 0 && period > 0, "attempts are counted in a period")
    self.limit = limit
    self.period = period
  }

  /// The number of keys in the table.
  var count: Int { entries.reduce(0) { $0 + $1.count } }

  /// Whether no key has failed in the period before now.
  public func isEmpty(at now: Int64) -> Bool {
    entries.allSatisfy { set in !set.contains { $0.count > 0 && $0.isCurrent(at: now, period) } }
  }

  /// Counts an attempt. Returns the seconds until another one is allowed, if there were more than `limit` (nil: the
  /// limit of all keys), else nil.
  public mutating func count(_ key: some Hashable, at now: Int64, limit: Int? = nil) -> Int? {
    let key = key.hashValue
    if entries.isEmpty { entries = Array(repeating: [], count: Self.sets) }
    let set = set(of: key)
    entries[set].removeAll { [period] in !$0.isCurrent(at: now, period) }
    let index = entries[set].firstIndex { $0.key == key } ?? insert(key, into: set, at: now)
    entries[set][index].count += 1
    precondition(entries[set].count <= Self.ways, "the number of keys that are remembered is bounded")
    let entry = entries[set][index]
    precondition(
      entry.key == key && entry.count > 0 && entry.isCurrent(at: now, period), "an attempt is counted now")
    return entry.count > limit ?? self.limit ? Int(period - (now - entry.begin)) : nil
  }

  private mutating func insert(_ key: Int, into set: Int, at now: Int64) -> Int {
    let entry = Entry(key: key, begin: now, count: 0)
    guard entries[set].count >= Self.ways else {
      entries[set].append(entry)
      return entries[set].count - 1
    }
    let least = entries[set].indices.min { entries[set][$0].count < entries[set][$1].count } ?? 0
    entries[set][least] = entry
    return least
  }

  /// Returns the seconds until another attempt is allowed; nil if it is allowed now.
  public func wait(for key: some Hashable, at now: Int64) -> Int? {
    guard let (set, index) = place(of: key.hashValue) else { return nil }
    let entry = entries[set][index]
    return entry.isCurrent(at: now, period) && entry.count >= limit ? Int(period - (now - entry.begin)) : nil
  }

  /// Takes back the count of an attempt that did not fail; earlier failures stay counted.
  public mutating func withdraw(_ key: some Hashable) {
    guard let (set, index) = place(of: key.hashValue), entries[set][index].count > 0 else { return }
    entries[set][index].count -= 1
  }

  /// Forgets all failures of the key.
  public mutating func forget(_ key: some Hashable) {
    guard let (set, index) = place(of: key.hashValue) else { return }
    entries[set].remove(at: index)
  }

  private func set(of key: Int) -> Int { Int(UInt(bitPattern: key) % UInt(Self.sets)) }

  private func place(of key: Int) -> (set: Int, index: Int)? {
    if entries.isEmpty { return nil }
    let set = set(of: key)
    return entries[set].firstIndex { $0.key == key }.map { (set, $0) }
  }
}
