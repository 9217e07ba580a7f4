import GatehouseSharing

/// How many bytes an object may have, and how many those have that grew lately.
///
/// To measure an object is to read all of it, which a small change of a large one must not cost each time: what is
/// known of it is added to. An object whose sum comes to more than it may is measured again.
struct ObjectSizes {
  /// Objects that are remembered at most.
  private static let capacity = 8192

  private let limit: Int?
  private var known = GenerationalCache<RowAddress, Int>(budget: capacity)

  init(limit: Int?) {
    self.limit = limit
  }

  /// Whether a new object may have so many bytes.
  func admits(_ size: Int) -> Bool {
    size <= limit ?? .max
  }

  /// Whether an object may have become larger by `growth` bytes at most. `measure` gives the bytes that it has now.
  mutating func admits(
    _ row: RowAddress, growth: Int, _ measure: () throws(StorageError) -> Int
  ) throws(StorageError) -> Bool {
    guard let limit, growth > 0 else { return true }
    var size = known[row].map { $0 + growth } ?? .max
    if size > limit { size = try measure() }
    known.add(size, for: row)
    return size <= limit
  }

  /// Forgets all of them: what was written has been taken back.
  mutating func forget() {
    if !known.isEmpty { known.removeAll() }
  }
}
