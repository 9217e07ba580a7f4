/// For each class, in the order of the catalog: the next object key and the number of objects.
///
/// A value, so that a transaction that fails leaves them as they were.
struct Counters {
  /// Numbers that count something: nobody counts to the end of these, so that one more is always a number, too.
  static let countable: Range<Int64> = 0..<1 << 62
  /// Next keys: clients name keys up to ``ObjectKey/largest``, and counting goes on from there.
  static let keys: Range<Int64> = 0..<Int64.max

  var nextKey: [Int64]
  var count: [Int64]
  /// The classes whose counters differ from those in the file.
  var changed: Set<Int> = []

  /// A key that no object of the class ever had.
  mutating func takeKey(_ table: Int) -> Int64 {
    changed.insert(table)
    defer { nextKey[table] += 1 }
    return nextKey[table]
  }

  /// Makes sure that `key` is never given to another object.
  mutating func use(_ key: Int64, _ table: Int) {
    guard key >= nextKey[table] else { return }
    changed.insert(table)
    nextKey[table] = key + 1
  }

  mutating func add(_ difference: Int64, _ table: Int) {
    changed.insert(table)
    count[table] += difference
  }
}
