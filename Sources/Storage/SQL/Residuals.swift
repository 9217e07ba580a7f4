import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Evaluates in memory what a statement's SQL can't say: the functions `matches(n, key)`, whether the n-th predicate
/// holds for an object; `visible(table, key)`, whether an object may be seen; and `concealed(mixed)`, the value without
/// the links that may not be.
///
/// Registered once for each connection; whoever runs a statement says first what its predicates are and what may be seen.
final class Residuals {
  private var residuals: [Residual] = []
  private var lookup: PropertyLookup?
  private var scope: VisibilityScope<StoredObject>?
  /// The catalog that tables are numbered by.
  private var catalog: Catalog?

  /// Makes the functions known on the connection.
  func register(on connection: Connection) throws(DatabaseError) {
    try connection.createFunction("matches", argumentCount: 2) { [unowned self] arguments, answer in
      let (number, key) = (Int(arguments.int64(at: 0)), ObjectKey(arguments.int64(at: 1)))
      guard let lookup, residuals.indices.contains(number) else { return answer.error("no such predicate") }
      lookup.forget()
      answer.bool(matches(residuals[number], key, by: lookup))
      answer.fail(lookup.failure)
    }
    try connection.createFunction("visible", argumentCount: 2) { [unowned self] arguments, answer in
      guard let lookup, let scope, let table = catalog?.tables[Int(arguments.int64(at: 0))] else {
        return answer.error("no visibility")
      }
      guard arguments.storageClass(at: 1) == .integer else { return answer.bool(false) }
      let key = ObjectKey(arguments.int64(at: 1))
      lookup.forget()
      let link = ObjectLink(objectType: table.objectType.name, key: key)
      answer.bool(scope.showsLinking(StoredObject(table: table, key: key, lookup: lookup), link))
      answer.fail(lookup.failure)
    }
    try connection.createFunction("concealed", argumentCount: 1) { [unowned self] arguments, answer in
      guard let lookup, scope != nil, let value = Mixed(arguments, at: 0) else {
        return answer.error("no visibility")
      }
      lookup.forget()
      answer.mixed(concealed(value))
      answer.fail(lookup.failure)
    }
  }

  /// From now on these are the predicates, and what they and answers show is under the visibility.
  func prepare(_ residuals: [Residual], _ visibility: Visibility?, in session: ReadSession) {
    self.residuals = residuals
    catalog = session.catalog
    scope = visibility.map { VisibilityScope($0) }
    lookup = residuals.isEmpty && scope == nil ? nil : PropertyLookup(session)
  }

  /// Returns a value as it may be seen.
  private func concealed(_ value: Mixed) -> Mixed {
    guard let scope, let lookup else { return value }
    return scope.concealed(value, finding: lookup.object)
  }

  private func matches(_ residual: Residual, _ key: ObjectKey, by lookup: PropertyLookup) -> Bool {
    let object = StoredObject(table: residual.table, key: key, lookup: lookup)
    guard residual.isGuarded, let scope else { return residual.predicate.matches(object) }
    return residual.predicate.matches(VisibleObject(object, in: scope))
  }
}

extension Answer {
  /// Reports what an evaluation failed of.
  fileprivate mutating func fail(_ failure: StorageError?) {
    switch failure {
    case nil: break
    case .timeLimit: interrupt()
    default: error("evaluation failed")
    }
  }

  /// Gives a value as a mixed column has it.
  fileprivate mutating func mixed(_ value: Mixed) {
    switch value {
    case .null: null()
    case .string(let text): Array(text.utf8).withUnsafeBufferPointer { self.text($0) }
    default:
      var bytes: [UInt8] = []
      MixedCoding.append(value, to: &bytes)
      blob(bytes)
    }
  }
}
