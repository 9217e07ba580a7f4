import GatehouseModel

/// The change of results from those that a subscriber has to those that there are. Several become one where it is
/// slow.
struct ResultsUpdate: Sendable {
  let old: ResultsState
  let new: ResultsState
  /// The objects that have changed.
  let touched: Set<Mixed>
  let hasSections: Bool
  /// Nil: nothing.
  let encoded: EncodedEvents?

  init(from old: ResultsState, to new: ResultsState, touched: Set<Mixed>, hasSections: Bool) {
    self.old = old
    self.new = new
    self.touched = touched
    self.hasSections = hasSections
    let writer = ResultsWriter(state: new)
    if hasSections {
      let diff = SectionsDiff(from: old, to: new, touched: touched)
      encoded = diff.isEmpty ? nil : writer.update(diff)
    } else {
      let diff = CollectionDiff(from: old.rows.map(\.id), to: new.rows.map(\.id)) { touched.contains($0) }
      encoded = diff.isEmpty ? nil : writer.update(diff)
    }
  }

  /// This and then the other.
  func merged(with next: ResultsUpdate) -> ResultsUpdate {
    precondition(next.old.version >= new.version, "changes of results are told in their order")
    // Nobody was told of changes of an object while it was not among the results.
    let returned = Set(old.rows.map(\.id)).subtracting(new.rows.map(\.id))
    return ResultsUpdate(
      from: old, to: next.new, touched: touched.union(next.touched).union(returned), hasSections: hasSections)
  }
}
