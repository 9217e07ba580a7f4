import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Tells which objects of the past a caller may see now, where a permission is a filter.
///
/// An object of the past is the one that the file has only if it has the same object key: whoever may see a new object
/// need not have been allowed to see an earlier one with its primary key.
struct CurrentVisibility {
  private struct Question: Hashable {
    let identity: Identity
    let condition: Predicate
  }

  private let history: HistoricalSnapshot
  /// The keys of the objects for which a condition holds now; nil: of none.
  private var answers: [Question: ObjectKey?] = [:]

  /// The first question that could not be answered.
  var failure: StorageError? { history.failure }

  init(_ snapshot: Snapshot, _ layouts: ClassLayouts) {
    history = HistoricalSnapshot(HistoryIterator(at: snapshot, layouts), snapshot)
  }

  /// Whether the object with that key is there now and the condition holds for it.
  mutating func contains(_ identity: Identity, key: ObjectKey, where condition: Predicate) -> Bool {
    let question = Question(identity: identity, condition: condition)
    if let answer = answers[question] { return answer == key }
    let state = history.object(identity)
    let isVisible = state.map { condition.matches(HistoricalObject(state: $0, history: history)) } ?? false
    let answer = isVisible ? state?.key : nil
    answers[question] = .some(answer)
    return answer == key
  }
}
