import Model
import Query
import SQLite

/// One transaction at a time on the writer's connection: performs operations, remembers what they change.
///
/// Files named `WriteTransaction+…` hold one kind of work each.
final class WriteTransaction {
  /// An object that is linked to, but not created yet.
  struct Target: Hashable {
    let table: Int
    let identifier: Mixed
  }

  let catalog: Catalog
  /// For answers: properties by the names that clients use.
  let reading: ReadSession
  /// For the change log: properties by their stored names.
  let imaging: ReadSession
  let statements: [TableStatements]
  var counters: Counters
  var recorder = ChangeRecorder()
  /// The objects that must still come, since something links to them.
  var awaited: [Target: ForwardReference] = [:]
  /// How many objects were awaited so far.
  var promises: Int64 = 0
  /// What must hold of the objects of a class, by its table.
  private(set) var conditions: [Int: ObjectCondition] = [:]
  /// Objects of such classes that were changed or created, and by which operation.
  var touched: [(subject: RowAddress, operation: Int)] = []
  /// The operation being performed.
  var operation = 0
  /// The place of the next change in the log of the transaction.
  var ordinal: Int64 = 0
  /// The classes of objects changed since the last commit.
  var changedTables: Set<Int> = []
  /// The version that the changes get if there are any.
  var version: Int64 = 0
  /// Whether the log has changes of the transaction so far.
  var hasChanged: Bool { ordinal > 0 }
  let log: ChangeLog
  /// For each class, what images each property, then what images all of them.
  var imageReaders: [[ObjectReader?]]
  private var readers: [ObjectReader?]
  /// For each class and property, what images single elements.
  var elementReaders: [ElementShape: ElementReader] = [:]
  /// For each class, what writes its new objects for the change log and for answers without reading them.
  let draftWriters: [(image: DraftWriter, answer: DraftWriter)?]
  /// What reads the present values that edits depend on.
  var editReaders: [EditShape: ObjectReader] = [:]
  /// For the plans of operations on many objects.
  let residuals = Residuals()
  /// Which embedded objects a property held before its first change in the transaction, where somebody wants to
  /// know; nil: nobody does.
  var embeddedBefore: [EmbeddedPlace: [Int64]]?
  /// The classes whose objects only privileged transactions write.
  let appendOnly: Set<Int>
  /// Of each such class, what the object with the largest key was made from, as long as that is all of it: what
  /// follows from a transaction may depend on it. Nil: the file knows.
  var newest: [ObjectDraft?]
  /// What was added to the transaction in the end.
  var additions: [Addition] = []
  /// Whether what many objects become is logged before the transaction ends.
  var settlesEarly = false
  /// The bytes of what the transaction has logged of changed objects.
  var newBytes = 0
  /// Whether mixed values may link to objects.
  let hasMixedLinks: Bool
  /// How long the transaction may take.
  var deadline = WriteDeadline()
  var sizes: ObjectSizes
  let options: StoreOptions

  init(
    _ connection: Connection, catalog: Catalog, counters: Counters, options: StoreOptions
  ) throws(StorageError) {
    self.catalog = catalog
    self.options = options
    hasMixedLinks = catalog.tables.contains { $0.properties.contains { $0.element == .mixed } }
    sizes = ObjectSizes(limit: options.objectSize)
    let names = options.appendOnlyClasses
    appendOnly = Set(catalog.tables.indices.filter { names.contains(catalog.tables[$0].objectType.name) })
    self.counters = counters
    reading = ReadSession(connection, catalog: catalog)
    imaging = ReadSession(connection, catalog: catalog, naming: .stored)
    let reading = reading
    statements = catalog.tables.map { TableStatements($0, in: reading) }
    imageReaders = catalog.tables.map { Array(repeating: nil, count: $0.properties.count + 1) }
    readers = Array(repeating: nil, count: catalog.tables.count)
    newest = Array(repeating: nil, count: catalog.tables.count)
    draftWriters = catalog.tables.map { table in
      guard let image = DraftWriter(table.objectType, in: catalog.schema, naming: .stored),
        let answer = DraftWriter(table.objectType, in: catalog.schema, naming: .client)
      else { return nil }
      return (image, answer)
    }
    log = try ChangeLog(in: reading)
    do { try residuals.register(on: connection) } catch { throw StorageError(error) }
  }

  /// Begins anew, for a transaction whose changes get `version`.
  func begin(
    version: Int64, conditions: [String: ObjectCondition], until interruption: Interruption?
  ) {
    deadline = WriteDeadline(after: options.writeTime, interruption)
    if !self.conditions.isEmpty { self.conditions = [:] }
    for (name, condition) in conditions {
      if let table = try? catalog.index(of: name) { self.conditions[table] = condition }
    }
    touched = []
    recorder.removeAll()
    recorder.operation = 0
    additions.removeAll()
    awaited = [:]
    promises = 0
    newBytes = 0
    settlesEarly = false
    operation = 0
    ordinal = 0
    self.version = version
  }

  /// Takes back what was done since the counters were these, and that the last version: the file has been rolled
  /// back.
  func restore(_ counters: Counters, _ version: Int64) {
    self.counters = counters
    newest = Array(repeating: nil, count: newest.count)
    sizes.forget()
    log.piece?.rollBack(to: version)
  }

  /// The classes of objects changed since this was last asked.
  func takeChangedTables() -> Set<Int> {
    defer { changedTables = [] }
    return changedTables
  }

  /// Forgets them, since nothing of it was committed.
  func forgetChangedTables() {
    changedTables = []
  }

  /// What writes the objects of a class for an answer.
  func reader(_ table: Int) -> ObjectReader {
    if let reader = readers[table] { return reader }
    let layout = catalog.tables[table]
    let reader = ObjectReader(layout, projection: .all(of: layout.objectType), in: reading)
    readers[table] = reader
    return reader
  }

  /// The object that clients identify by `id`.
  func find(_ table: Int, _ id: Mixed) throws(StorageError) -> (key: Int64, version: Int64)? {
    let statement = try statements[table][.find]
    statement.bind(id, as: catalog.tables[table].identifierType, at: 1)
    defer { statement.reset() }
    return try reading.step(statement) ? (statement.int64(at: 0), statement.int64(at: 1)) : nil
  }

  /// Runs a statement that has been bound and gives no rows.
  func run(_ statement: Statement) throws(StorageError) {
    while try reading.step(statement) {}
  }

  /// The first column of every row of a statement that has been bound.
  func integers(_ statement: Statement) throws(StorageError) -> [Int64] {
    defer { statement.reset() }
    var values: [Int64] = []
    while try reading.step(statement) {
      if !statement.isNull(at: 0) { values.append(statement.int64(at: 0)) }
    }
    return values
  }
}
