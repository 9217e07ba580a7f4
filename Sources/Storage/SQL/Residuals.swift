import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Evaluates in memory what a statement's SQL can't say: the function `matches(n, key)`.
///
/// Registered once for each connection; whoever runs a statement says first what its predicates are.
final class Residuals {
  private var predicates: [(predicate: Predicate, table: TableLayout)] = []
  private var lookup: PropertyLookup?

  /// Makes `matches` known on the connection.
  func register(on connection: Connection) throws(DatabaseError) {
    try connection.createFunction("matches", argumentCount: 2) { [unowned self] arguments, answer in
      let (number, key) = (Int(arguments.int64(at: 0)), ObjectKey(arguments.int64(at: 1)))
      guard let lookup, predicates.indices.contains(number) else { return answer.error("no such predicate") }
      let (predicate, table) = predicates[number]
      lookup.forget()
      answer.bool(predicate.matches(StoredObject(table: table, key: key, lookup: lookup)))
      switch lookup.failure {
      case nil: break
      case .timeLimit: answer.interrupt()
      default: answer.error("evaluation failed")
      }
    }
  }

  /// From now on these are the predicates.
  func prepare(_ predicates: [(predicate: Predicate, table: TableLayout)], in session: ReadSession) {
    self.predicates = predicates
    lookup = predicates.isEmpty ? nil : PropertyLookup(session)
  }
}
