/// A bounded cache of values whose keys come again: CLOCK with a doorkeeper, in a table with two places for each key.
///
/// The doorkeeper (TinyLFU, 2015) remembers a key's hash the first time and admits its value the second time, so that
/// keys that come once, as queries with a constant in their text do, drive out nothing. CLOCK (Corbató, 1968) gives a
/// value that was used since its place was last wanted a second chance.
///
/// Keys are found by hashes that the caller makes. Whoever chooses keys with the same places finds fewer of them kept, and
/// no longer way to them.
package struct ClockCache<Key, Value> {
  private final class Entry {
    let value: Value
    let key: Key
    let hash: UInt64
    var isUsed = false

    init(_ value: Value, key: Key, hash: UInt64) {
      self.value = value
      self.key = key
      self.hash = hash
    }
  }

  private var entries: [Entry?]
  /// The doorkeeper: for each place, the hash of the last key that was added and not kept.
  private var seen: [UInt64]

  /// Keeps at most `capacity` values, of which there is one at least.
  package init(capacity: Int) {
    precondition(capacity > 0, "there is a place for one value at least")
    entries = Array(repeating: nil, count: capacity)
    seen = Array(repeating: 0, count: capacity)
  }

  /// Returns the value of the key of that hash for which `isKey` holds, where it is kept.
  package func value(_ hash: UInt64, where isKey: (Key) -> Bool) -> Value? {
    let (first, second) = places(of: hash)
    guard let entry = entry(at: first, hash) ?? entry(at: second, hash), isKey(entry.key) else { return nil }
    entry.isUsed = true
    return entry.value
  }

  /// Keeps a value that was not found, unless its key comes for the first time.
  package mutating func add(_ value: Value, for key: @autoclosure () -> Key, _ hash: UInt64) {
    let (first, second) = places(of: hash)
    guard seen[first] == hash else {
      seen[first] = hash
      return
    }
    for place in [first, second] where entries[place]?.isUsed != true {
      entries[place] = Entry(value, key: key(), hash: hash)
      return
    }
    entries[first]?.isUsed = false
    entries[second]?.isUsed = false
  }

  private func places(of hash: UInt64) -> (Int, Int) {
    let count = UInt64(entries.count)
    return (Int(hash % count), Int((hash >> 32) % count))
  }

  private func entry(at place: Int, _ hash: UInt64) -> Entry? {
    guard let entry = entries[place], entry.hash == hash else { return nil }
    return entry
  }
}
