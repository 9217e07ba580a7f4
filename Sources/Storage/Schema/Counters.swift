/// For each class, in the order of the catalog: the next object key, the number of objects and the last primary key.
///
/// A value, so that a transaction that fails leaves them as they were.
struct Counters {
  /// Numbers that count something: nobody counts to the end of these, so that one more is always a number, too.
  static let countable: Range<Int64> = 0..<1 << 62
  /// Next keys: clients name keys up to ``ObjectKey/largest``, and counting goes on from there.
  static let keys: Range<Int64> = 0..<3 << 61

  var nextKey: [Int64]
  var count: [Int64]
  /// For classes whose primary keys are counted the largest that an object ever had, at least 0.
  var lastID: [Int: Int64] = [:]
  /// The classes whose counters differ from those in the file.
  var changed: Set<Int> = []

  /// A key that no object of the class ever had.
  mutating func takeKey(_ table: Int) -> Int64 {
    changed.insert(table)
    precondition(Counters.keys.contains(nextKey[table]), "there is a key for the next object")
    defer { nextKey[table] += 1 }
    return nextKey[table]
  }

  /// Makes sure that `key` is never given to another object.
  mutating func use(_ key: Int64, _ table: Int) {
    guard key >= nextKey[table] else { return }
    changed.insert(table)
    nextKey[table] = key + 1
  }

  /// A primary key that no object of the class ever had; nil: there is none any more.
  mutating func takeID(_ table: Int) -> Int64? {
    guard let last = lastID[table], last < .max else { return nil }
    changed.insert(table)
    lastID[table] = last + 1
    return last + 1
  }

  /// Makes sure that no object is given that primary key, or a smaller one.
  mutating func use(id: Int64, _ table: Int) {
    guard let last = lastID[table], id > last else { return }
    changed.insert(table)
    lastID[table] = id
  }

  mutating func add(_ difference: Int64, _ table: Int) {
    changed.insert(table)
    count[table] += difference
    precondition(count[table] >= 0, "no class has fewer objects than none")
  }
}
