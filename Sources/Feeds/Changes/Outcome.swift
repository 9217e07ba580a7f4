/// The outcome of a change for those who watch a filter.
enum Outcome: Hashable {
  case insert
  case update
  case delete
  /// The object has begun to match.
  case matched
  /// The object has ceased to match, and is still there.
  case unmatched
}
