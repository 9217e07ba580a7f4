import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Reads the results of operations when a transaction is done: versions, and objects as clients see them. Owns no table.
final class ResultReader {
  private let statements: WriteStatements
  private let residuals: Residuals
  private let capture: ChangeCapture
  private let conditions: ConditionChecks
  /// For each class, the reader of objects for the answer to somebody who sees everything.
  private var readers: [ObjectReader?]
  /// For each class, the writer of new objects without reading them; nil where only the file can say.
  private let drafts: [DraftWriter?]

  init(_ base: WriteBase, capture: ChangeCapture, conditions: ConditionChecks) {
    statements = base.statements
    residuals = base.residuals
    self.capture = capture
    self.conditions = conditions
    let (tables, schema) = (statements.catalog.tables, statements.catalog.schema)
    readers = Array(repeating: nil, count: tables.count)
    drafts = tables.map { DraftWriter($0.objectType, in: schema, naming: .client) }
  }

  /// Returns a result for each outcome. `changed` are the objects that the transaction did change, and `version` is the
  /// one that they got.
  func results(
    of outcomes: [OperationOutcome], changed: Set<RowAddress>, version: Int64,
    returning answer: (representation: Representation, visibility: Visibility?)?
  ) throws(StorageError) -> [Commit.Result] {
    var results: [Commit.Result] = []
    results.reserveCapacity(outcomes.count)
    for outcome in outcomes {
      // The result of one operation alone needs no second look.
      let isAlone = outcomes.count == 1 && outcome.effect != .deleted
      let isKnown = isAlone && outcome.row.map { changed.contains($0) } == true
      let objectVersion = isKnown ? version : try currentVersion(outcome)
      var object: [UInt8]?
      if let answer, objectVersion != nil, let row = outcome.row {
        object = try self.object(row, as: answer.representation, under: answer.visibility)
      }
      results.append(
        Commit.Result(
          effect: effect(outcome, changed), id: outcome.id, count: outcome.count,
          objectVersion: objectVersion ?? version, object: object))
    }
    return results
  }

  private func effect(
    _ outcome: OperationOutcome, _ changed: Set<RowAddress>
  ) -> Commit.Result.Effect {
    guard outcome.effect == .updated, let row = outcome.row else { return outcome.effect }
    return changed.contains(row) ? .updated : .unchanged
  }

  /// Returns the object's version after the transaction; nil where it is gone.
  private func currentVersion(_ outcome: OperationOutcome) throws(StorageError) -> Int64? {
    guard outcome.effect != .deleted, let row = outcome.row else { return nil }
    return try statements.version(of: row)
  }

  /// Returns the object as it is seen; nil: it is not.
  private func object(
    _ row: RowAddress, as representation: Representation, under visibility: Visibility?
  ) throws(StorageError) -> [UInt8]? {
    if let visibility {
      guard try conditions.isVisible(row) else { return nil }
      let layout = statements.catalog.tables[row.table]
      residuals.prepare([], visibility, in: statements.session)
      let reader = ObjectReader(
        layout, projection: visibility.pruned(.all(of: layout.objectType)), in: statements.session,
        restricted: visibility.restricted)
      return try reader.bytes(of: row.key, as: representation)
    }
    guard representation == .json, let draft = capture.draft(of: row), let drafted = drafts[row.table]
    else { return try reader(row.table).bytes(of: row.key, as: representation) }
    var writer = PlainJSONWriter(appendingTo: [])
    drafted.write(draft, key: row.key, to: &writer)
    return writer.finish()
  }

  private func reader(_ table: Int) -> ObjectReader {
    if let reader = readers[table] { return reader }
    let layout = statements.catalog.tables[table]
    let reader = ObjectReader(layout, projection: .all(of: layout.objectType), in: statements.session)
    readers[table] = reader
    return reader
  }
}
