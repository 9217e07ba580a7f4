import GatehouseModel
import GatehouseQuery
import GatehouseSQLite
import GatehouseSharing

/// Makes of a copy of the store's present what it was at a version, and what of that somebody may see.
///
///     copy classes ─▶ note who is seen now ─▶ undo the log ─▶ note who was seen then ─▶ take the others out
final class PastBuilder {
  private let past: PastView
  private let present: Reader
  private let connection: Connection
  private let session: ReadSession
  private let copy: PastCopy
  private let memory: SharedBudget.Reservation
  private var catalog: Catalog { session.catalog }

  /// - Parameters:
  ///   - present: A reader of the store, whose limits count.
  ///   - path: The scratch file, which is not there yet.
  ///   - memory: For what is undone.
  init(
    _ past: PastView, by present: Reader, in path: String, within memory: SharedBudget.Reservation
  ) throws(StorageError) {
    self.past = past
    self.present = present
    self.memory = memory
    let catalog = present.session.catalog
    guard catalog.generation == past.generation else { throw .schemaChanged }
    connection = try DatabaseFile.openScratch(path, isAlone: present.view.isAlone)
    connection.limits.time = present.connection.limits.time
    connection.limits.interruption = present.connection.limits.interruption
    connection.limits.waited = present.connection.limits.waited
    connection.obeyLimits()
    session = ReadSession(connection, catalog: catalog)
    copy = PastCopy(
      session: session,
      tables: catalog.tables.indices.filter { past.classes.contains(catalog.tables[$0].objectType.name) })
  }

  /// Makes the file.
  func build() throws {
    do {
      let (version, counters) = try copy.copy(from: present.view.database)
      try undo(through: version, counters)
      try finish()
    } catch StorageError.timeLimit where connection.limits.reason == .interruption {
      throw StorageError.cancelled
    } catch StorageError.diskFull {
      throw StorageError.pastUnavailable(.tooLarge)
    }
  }

  private func undo(through last: Int64, _ counters: Counters) throws {
    let base = try WriteBase(session, appendOnlyClasses: [])
    let links = LinkIndex(base.statements, base.context)
    let objects = ObjectStore(
      base, counters: counters, collections: CollectionStore(base.statements), links: links)
    base.context.begin(
      version: past.version,
      until: WriteDeadline(after: connection.limits.time, connection.limits.interruption))
    links.begin()
    let seenNow = try visibleKeys(base)
    try restore(changedObjects(through: last), in: objects, linkedBy: links, base.statements)
    if !past.conditions.isEmpty {
      let concealment = PastConcealment(
        statements: base.statements, objects: objects, links: links, copy.tables)
      let seenThen = try visibleKeys(base)
      try concealment.keep(seenThen.merging(seenNow) { $0.intersection($1) })
    }
    try objects.storeCounters()
  }

  /// Returns the objects that have changed after the version, as they were.
  private func changedObjects(through last: Int64) throws -> PastObjects {
    var objects = PastObjects(ImageReader(session), within: memory)
    let tables = Dictionary(
      uniqueKeysWithValues: copy.tables.map { (catalog.tables[$0].objectType.name, $0) })
    try PastLog(reader: present).forEachChange(from: last, backTo: past.version) { change, size in
      guard let table = tables[change.objectType] else { return }
      try objects.hold(size)
      try objects.undo(change, in: RowAddress(table: table, key: change.key.value))
    }
    guard present.session.catalog.generation == past.generation else { throw StorageError.schemaChanged }
    return objects
  }

  /// All of them are gone before the first one comes back: two may have had one primary key, one after the other.
  private func restore(
    _ past: PastObjects, in objects: ObjectStore, linkedBy links: LinkIndex, _ statements: WriteStatements
  ) throws(StorageError) {
    for row in past.values.keys where try statements.version(of: row) != nil { try objects.delete(row) }
    let rows = past.values.keys.sorted { ($0.table, $0.key) < ($1.table, $1.key) }
    for row in rows {
      guard let values = past.values[row] ?? nil else { continue }
      guard row.key >= 0, row.key < objects.counters.nextKey[row.table] else {
        throw .corrupt("key in the log")
      }
      let type = catalog.tables[row.table].objectType
      let draft = catalog.schema.draft(of: values, as: type)
      let id: Mixed = type.primaryKey.map { values[$0.storedName] ?? .null } ?? .int(row.key)
      let target = ForwardReferences.Target(table: row.table, identifier: id)
      let reference = links.takeReference(to: target)
      try links.referring(to: target, key: row.key) { () throws(StorageError) in
        try objects.add(row, id: id, draft)
      }
      if let reference { try links.resolve(reference, to: row) }
    }
    guard links.isComplete else { throw .corrupt("link in the log") }
  }

  /// Returns for each class with a condition the keys of the objects for which it holds.
  private func visibleKeys(_ base: WriteBase) throws(StorageError) -> [Int: Set<Int64>] {
    var all: [Int: Set<Int64>] = [:]
    for table in copy.tables {
      let type = catalog.tables[table].objectType
      guard let condition = past.conditions[type.name] else { continue }
      var keys: Set<Int64> = []
      let plan = Plan(objectType: type.name, predicate: condition, projection: .all(of: type))
      try base.keys.forEachKey(of: plan) { keys.insert($0) }
      all[table] = keys
    }
    return all
  }

  private func finish() throws(StorageError) {
    let commit = try session.prepare(LogStatements.insertCommit)
    commit.bind(past.version, at: 1)
    commit.bind("", at: 2)
    commit.bind(0 as Int64, at: 3)
    while try session.step(commit) {}
    do { try connection.execute(TransactionStatements.commit) } catch { throw StorageError(error) }
  }
}
