/// Which element of a list a segment of a path names: the one answer for reads, event streams, writes and JSON Patch.
///
/// Digits without leading zeros, as RFC 6901 §4 has them, so that an element has one name; with a minus in front, paths of
/// URLs count from the end. In filters an index is a number of the language's, and no segment.
public enum ListIndex {
  /// The index that the segment names; nil: it names none.
  public static func index(_ segment: String) -> Int? {
    guard let index = Int(segment), String(index) == segment else { return nil }
    return index
  }

  /// Where in a list of so many elements the segment leads; nil: nowhere.
  public static func place(_ segment: String, in count: Int) -> Int? {
    index(segment).flatMap { place($0, in: count) }
  }

  /// Where in a list of so many elements an index leads.
  public static func place(_ index: Int, in count: Int) -> Int? {
    precondition(count >= 0, "a list has no less than no elements")
    let place = index < 0 ? count + index : index
    return (0..<count).contains(place) ? place : nil
  }
}
