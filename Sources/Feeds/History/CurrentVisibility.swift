import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Tells which objects of the past a caller may see now, where a permission is a filter.
///
/// An object of the past is the one that the file has only if it has the same object key: whoever may see a new object
/// need not have been allowed to see an earlier one with its primary key.
final class CurrentVisibility {
  private let history: HistoricalSnapshot
  /// The keys of the objects that may be seen; nil: of none.
  private var answers: [Identity: ObjectKey?] = [:]

  /// The first question that could not be answered.
  var failure: StorageError? { history.failure }

  init(_ snapshot: Snapshot, _ layouts: ClassLayouts) {
    history = HistoricalSnapshot(HistoryIterator(at: snapshot, layouts), snapshot)
  }

  /// Whether the object with that key is there now and its class' condition, the same each time, holds for it.
  func shows(_ identity: Identity, key: ObjectKey, where condition: Predicate) -> Bool {
    if let answer = answers[identity] { return answer == key }
    let state = history.object(identity)
    let isVisible = state.map { condition.matches(HistoricalObject(state: $0, history: history)) } ?? false
    let answer = isVisible ? state?.key : nil
    answers[identity] = .some(answer)
    return answer == key
  }
}
