import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Reads what the log says in the terms of earlier schemas in those of the schema as it is.
///
/// Invariant: `known` are all changes of the schema after `low`, in order, as long as the generation is the same.
final class LogTranslation {
  private var generation: Int64?
  /// The commit that changed the schema last, or a later one.
  private var last: Int64 = 0
  private var low: Int64 = 0
  private var known = SchemaSteps()

  /// The changes of the schema after a position.
  func steps(after position: LogPosition, _ session: ReadSession) throws(StorageError) -> SchemaSteps {
    if generation != session.catalog.generation {
      last = try session.integer(try session.cached(CatalogStatements.schemaVersion)) ?? .max
      (low, known) = (last, SchemaSteps())
      generation = session.catalog.generation
    }
    // A commit that changes the schema changes nothing else.
    if position.version >= last { return SchemaSteps() }
    if position.version < low {
      known.insert(try readSteps(after: position.version, through: low, session))
      low = position.version
    }
    return known
  }

  private func readSteps(
    after start: Int64, through last: Int64, _ session: ReadSession
  ) throws(StorageError) -> [SchemaStep] {
    let row = try session.cached(LogStatements.changesOfOperation)
    row.bind(start, at: 1)
    row.bind(last, at: 2)
    row.bind(LoggedChange.Operation.schema.rawValue, at: 3)
    defer { row.reset() }
    var steps: [SchemaStep] = []
    while try session.step(row) {
      let old = try schema(LoggedChange.image(of: row.blob(at: 1)))
      let new = try schema(LoggedChange.image(of: row.blob(at: 2)))
      let renames = row.isNull(at: 3) ? [] : try LoggedChange.elements(of: row.blob(at: 3))
      steps.append(SchemaStep(version: row.int64(at: 0), from: old, to: new, renames: renames))
    }
    return steps
  }

  private func schema(_ image: Mixed) throws(StorageError) -> Schema {
    guard case .string(let text) = image, let notation = try? Value(json: text),
      let schema = try? Schema(notation: notation)
    else { throw .corrupt("schema in the log") }
    return schema
  }
}

/// Changes of the schema, in order.
struct SchemaSteps {
  private var steps: [SchemaStep] = []

  var isEmpty: Bool { steps.isEmpty }

  /// Whether one of them after a version has dropped values of objects.
  func loseValues(after version: Int64) -> Bool { steps.contains { $0.version > version && $0.losesValues } }

  /// Whether one of them has given classes other names.
  var renameClasses: Bool { steps.contains(where: \.renamesClasses) }

  /// Returns the names by which a class of the last schema was known, the first one first, each with the version before and the last one of
  /// the changes that name it so.
  func names(of objectType: String) -> [(name: String, after: Int64, through: Int64)] {
    var names: [(name: String, after: Int64, through: Int64)] = []
    var (name, last) = (objectType, Int64.max)
    for step in steps.reversed() where step.renamesClasses {
      guard let former = step.formerName(of: name) else { break }
      if former == name { continue }
      names.insert((name, step.version, last), at: 0)
      (name, last) = (former, step.version)
    }
    names.insert((name, 0, last), at: 0)
    return names
  }

  /// Takes in earlier ones.
  mutating func insert(_ earlier: [SchemaStep]) {
    if let last = earlier.last, let first = steps.first {
      precondition(last.version < first.version, "changes of the schema are known in order")
    }
    steps = earlier + steps
  }

  /// The change in the terms of the last schema; nil: what it concerns is gone.
  func translate(_ change: LoggedChange) -> LoggedChange? {
    guard change.operation != .schema else { return change }
    var change = change
    for step in steps where step.version > change.position.version {
      guard let next = step.translate(change) else { return nil }
      change = next
    }
    return change
  }
}
