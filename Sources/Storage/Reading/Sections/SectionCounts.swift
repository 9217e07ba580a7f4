import GatehouseModel

/// The sections of a result, in the order of their first objects, and how many objects each has.
struct SectionCounts {
  /// The most sections of a result: a program that remembers them has a bound.
  static let limit = 100_000

  private(set) var sections: [(key: Mixed, count: Int)] = []
  private var places: [Mixed: Int] = [:]
  private var last = 0

  mutating func add(_ key: Mixed) throws(StorageError) {
    if let place = place(of: key) {
      sections[place].count += 1
      last = place
      return
    }
    if sections.count == Self.limit { throw .tooManySections(limit: Self.limit) }
    last = sections.count
    places[key] = last
    sections.append((key, 1))
    precondition(places.count == sections.count, "each section has a key of its own")
  }

  /// Which section has the key.
  func place(of key: Mixed) -> Int? {
    // Sorted by what makes the sections, one object of a section follows the other.
    if last < sections.count, sections[last].key == key { return last }
    return places[key]
  }
}
