/// How often something may fail in a while, by keys.
///
/// The table is set-associative, and so bounded: a key has its place in one set of eight, and a new one there takes the
/// place of the key that has failed least. Whoever makes up keys displaces keys like these, not one that has failed
/// often; where keys are placed, nobody outside knows, since hashes are seeded.
public struct AttemptLimit: Sendable {
  private struct Entry {
    let key: Int
    var begin: Int64
    var count: Int

    func isCurrent(at now: Int64, _ period: Int64) -> Bool { (0..<period).contains(now - begin) }
  }

  private static let sets = 2_048
  private static let ways = 8

  /// The most keys that are remembered.
  static let capacity = sets * ways

  /// Seconds.
  public let period: Int64
  public let limit: Int
  private var entries: [[Entry]] = []

  public init(limit: Int, period: Int64) {
    self.limit = limit
    self.period = period
  }

  /// How many keys are remembered.
  var count: Int { entries.reduce(0) { $0 + $1.count } }

  /// Counts an attempt; returns after how many seconds there may be another where there were more than `limit` (nil:
  /// the limit of all keys), else nil.
  public mutating func count(_ key: some Hashable, at now: Int64, limit: Int? = nil) -> Int? {
    let key = key.hashValue
    if entries.isEmpty { entries = Array(repeating: [], count: Self.sets) }
    let set = set(of: key)
    entries[set].removeAll { [period] in !$0.isCurrent(at: now, period) }
    let index = entries[set].firstIndex { $0.key == key } ?? insert(key, into: set, at: now)
    entries[set][index].count += 1
    let entry = entries[set][index]
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

  /// Returns after how many seconds there may be another attempt where there may be none now, else nil.
  public func wait(for key: some Hashable, at now: Int64) -> Int? {
    guard let (set, index) = place(of: key.hashValue) else { return nil }
    let entry = entries[set][index]
    return entry.isCurrent(at: now, period) && entry.count >= limit ? Int(period - (now - entry.begin)) : nil
  }

  /// The attempt did not fail: it does not count. Those before it do.
  public mutating func withdraw(_ key: some Hashable) {
    guard let (set, index) = place(of: key.hashValue), entries[set][index].count > 0 else { return }
    entries[set][index].count -= 1
  }

  /// No attempt so far counts.
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
