public import GatehouseModel

/// The sections of a result, in the order of their first objects, and how many objects each has.
public struct SectionCounts {
  /// The most sections of a result, all of which are counted before the first can be shown.
  public static let limit = 100_000

  private(set) var sections: [(key: Mixed, count: Int)] = []
  private var places: [Mixed: Int] = [:]
  private var last = 0

  public init() {}

  /// Adds an object by the key of its section, and returns which one that is.
  @discardableResult
  public mutating func add(_ key: Mixed) throws(StorageError) -> Int {
    if let place = place(of: key) {
      sections[place].count += 1
      last = place
      return place
    }
    if sections.count == Self.limit { throw .tooManySections(limit: Self.limit) }
    last = sections.count
    places[key] = last
    sections.append((key, 1))
    precondition(places.count == sections.count, "each section has a key of its own")
    return last
  }

  /// Returns which section has the key.
  public func place(of key: Mixed) -> Int? {
    // Sorted by what makes the sections, one object of a section follows the other.
    if last < sections.count, sections[last].key == key { return last }
    return places[key]
  }
}
