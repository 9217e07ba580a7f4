public import GatehouseModel
public import GatehouseQuery
import GatehouseSQLite
public import GatehouseSharing

/// A read-only connection with its cache of prepared statements. Used by one thread at a time.
///
/// Each function reads in the same steps:
///
/// 1. `current` takes over the schema that was published last, if that is a new one, and runs the rest with a session for it.
/// 2. `snapshot` opens a transaction of SQLite around reads that have to see one state of the file. Where reads share a
///    snapshot, it is of the state that was published last when they begin, and ends with ``release()``.
/// 3. ``PreparedReaders`` has the statement for what is asked, compiled before where the same was asked before, and what
///    writes its rows as JSON, Extended JSON or BSON.
///
/// Whole objects as JSON come from ``CachedObjectReader`` where it has them: it knows by the version of the last change of a class
/// that they are still so.
public final class Reader {
  /// How the objects of a page are put together.
  public enum Framing: Sendable {
    /// One array.
    case array
    /// A line each (JSON), or one after the other (BSON).
    case sequence
  }

  /// The size of a page, and where the next one begins.
  public struct Page: Sendable {
    public let count: Int
    /// Where the next page begins; nil when there is none.
    public let next: Cursor?

    public init(count: Int, next: Cursor?) {
      self.count = count
      self.next = next
    }
  }

  /// Looks at a statement before it is no longer brief: about a millisecond.
  private static let briefWork = 16
  /// The looks where the threads for other queries are all busy, and more of these come.
  private static let brieferWork = 4

  /// The part of the store that readers share.
  let view: StoreView
  /// The schema and the last changes, as the last commit published them.
  private(set) var state: Published<StoreState>.Copy
  /// Whether a snapshot stays for those who read next.
  let sharesSnapshots: Bool
  let connection: Connection
  /// The connection with the catalog of the schema, made anew where that changes, as are ``objects`` and the prepared
  /// readers.
  private(set) var session: ReadSession
  /// Gives whole objects as JSON, from the cache that all readers share where it can.
  private(set) var objects: CachedObjectReader
  /// Runs the statements of plans, and knows which of them are too long for an event loop.
  let runner: PlanRunner
  /// The readers that write rows, with their statements.
  private var prepared: PreparedReaders
  /// Reads old changes of the log in the terms of today's schema.
  let translation = LogTranslation()
  /// Whether everything is read from the state of the file that is open.
  var holding = Holding()
  /// The last commits of the log, as far as they are in memory.
  var tail: LogTail { view.tail }

  init(_ view: StoreView, sharesSnapshots: Bool = false) throws(StorageError) {
    self.view = view
    self.sharesSnapshots = sharesSnapshots
    state = view.published.copy
    connection = try DatabaseFile.openReader(view.database, isAlone: view.isAlone)
    connection.limits.time = view.options.queryTime
    connection.obeyLimits()
    runner = try PlanRunner(connection)
    session = ReadSession(connection, catalog: state.value.catalog.unshared)
    prepared = PreparedReaders(session)
    objects = CachedObjectReader(session, view.cache)
    objects.begin(state.value.changes)
  }

  /// The schema as of the last commit, and its generation, which goes up with every change.
  public var schemaState: (schema: Schema, generation: Int64) {
    if !holding.isHeld { catchUp() }
    return (session.catalog.schema, session.catalog.generation)
  }

  /// Returns what `body` reads through this reader; nil where that takes so much work that an event loop would be held
  /// up, or did when the caller's last query was stopped.
  ///
  /// The work is counted, not timed. It is less where others wait for a thread, so that what is refused anyway does not
  /// keep the loop.
  public func briefly<Answer>(
    for caller: @autoclosure () -> Caller = .process, _ body: (Reader) throws -> Answer
  ) throws -> Answer? {
    let work = view.isReadingBusy ? Self.brieferWork : Self.briefWork
    return try runner.briefly(work: work, for: caller) { try body(self) }
  }

  /// Returns what `body` reads through this reader; it fails with ``StorageError/cancelled`` once the interruption is
  /// requested. The nanoseconds that it has waited count towards its time limit.
  func read<Answer>(
    until interruption: Interruption, waited: UInt64, _ body: (Reader) throws -> Answer
  ) throws -> Answer {
    precondition(connection.limits.interruption == nil, "a reader reads for one at a time")
    connection.limits.interruption = interruption
    connection.limits.waited = waited
    defer {
      connection.limits.interruption = nil
      connection.limits.waited = 0
    }
    return try body(self)
  }

  /// Appends the object to `bytes` and returns its version, or nil (and appends nothing) where there is none.
  ///
  /// Without a projection, all stored properties are shown. An object for which the condition, bound to its class,
  /// does not hold is as good as not there.
  public func object(
    _ objectType: String, id: Mixed, projection: Projection?, where condition: Predicate? = nil,
    under visibility: Visibility? = nil, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> Int64? {
    try current { schema throws(StorageError) in
      if condition != nil || visibility != nil {
        return try snapshot(schema) { transaction throws(StorageError) in
          if let condition, try find(objectType, id, where: condition, in: transaction) == nil { return nil }
          runner.see(visibility, in: session)
          return try prepared.lookup(objectType, projection, under: visibility)
            .write(id, as: representation, into: &bytes)?.version
        }
      }
      guard projection == nil, representation == .json, session.observer == nil else {
        return try prepared.lookup(objectType, projection).write(id, as: representation, into: &bytes)?
          .version
      }
      return try wholeObject(session.catalog.topLevelIndex(of: objectType), id: id, schema, to: &bytes)
    }
  }

  /// Appends an object as plain JSON with all stored properties, from the cache where that has it.
  private func wholeObject(
    _ table: Int, id: Mixed, _ schema: borrowing CurrentSchema, to bytes: inout [UInt8]
  ) throws(StorageError) -> Int64? {
    if let version = objects.appendCached(table, id: id, to: &bytes) { return version }
    return try snapshot(schema) { _ throws(StorageError) in try objects.append(table, id: id, to: &bytes) }
  }

  /// Returns the object's version; nil where there is none, or the condition does not hold for it.
  public func version(
    _ objectType: String, id: Mixed, where condition: Predicate? = nil
  ) throws(StorageError) -> Int64? {
    try current { schema throws(StorageError) in
      guard let condition else { return try prepared.lookup(objectType, nil).find(id)?.version }
      return try snapshot(schema) { transaction throws(StorageError) in
        try find(objectType, id, where: condition, in: transaction)?.version
      }
    }
  }

  /// Returns the object's key and version where the condition, bound to its class, holds for it; else nil.
  func find(
    _ objectType: String, _ id: Mixed, where condition: Predicate, in transaction: borrowing ReadTransaction
  ) throws(StorageError) -> (key: Int64, version: Int64)? {
    guard let found = try prepared.lookup(objectType, nil).find(id) else { return nil }
    let table = try session.catalog.table(objectType)
    return try session.holds(condition, for: table, ObjectKey(found.key)) ? found : nil
  }

  /// Returns the number of objects of every class that is not embedded, in the order of the schema.
  public func counts() throws(StorageError) -> [(objectType: String, count: Int)] {
    try current { _ throws(StorageError) in
      let statement = try session.cached(CatalogStatements.objectCount)
      var counts: [(objectType: String, count: Int)] = []
      for table in session.catalog.tables where !table.objectType.isEmbedded {
        statement.bind(table.objectType.name, at: 1)
        counts.append((table.objectType.name, Int(try session.integer(statement) ?? 0)))
      }
      return counts
    }
  }

  /// Appends the page of objects that the plan asks for to `bytes`.
  ///
  /// BSON has no array without a document around it: there the objects simply follow each other. A page ends early
  /// once it has `room` bytes; then there may be nothing on the next one.
  public func page(
    _ plan: Plan, as representation: Representation, framing: Framing, atMost room: Int = .max,
    into bytes: inout [UInt8]
  ) throws(StorageError) -> Page {
    let start = bytes.count
    // One snapshot for the keys and the objects.
    return try currentSnapshot { _ throws(StorageError) in
      // A second try begins anew.
      bytes.removeSubrange(start...)
      let index = try session.catalog.topLevelIndex(of: plan.objectType)
      // A stream would only drive everything else out of the cache.
      let visibility = plan.visibility?.needed(for: plan.projection, in: session.catalog.schema)
      let isKept =
        visibility == nil && representation == .json && framing == .array && session.observer == nil
        && prepared.showsAll(plan, of: index)
      let content: PageReader.Content =
        if isKept, objects.hasMost(of: index) {
          .cached(objects, table: index)
        } else {
          .rows(try rowReader(of: plan, under: visibility), keptBy: isKept ? objects : nil, index)
        }
      let (page, sql) = try pageReader(plan, content)
      return try page.write(
        sql, size: plan.pageSize, as: representation, framing: framing, atMost: room, into: &bytes)
    }
  }

  /// Returns the number of objects that the plan matches, its cursor and page size left aside.
  public func count(_ plan: Plan) throws(StorageError) -> Int {
    try current { schema throws(StorageError) in try planReader(plan).count(in: schema) }
  }

  /// Takes over what was published last.
  func catchUp() {
    session.answer += 1
    if session.isLost { session.end() }
    if state.isCurrent { return }
    state = view.published.copy
    release()
    if state.value.catalog.generation != session.catalog.generation { use(state.value.catalog.unshared) }
    objects.begin(state.value.changes(through: state.value.seen))
  }

  private func use(_ catalog: Catalog) {
    precondition(!holding.isHeld, "a schema is taken over between reads")
    connection.clearCache()
    session = ReadSession(connection, catalog: catalog)
    prepared = PreparedReaders(session)
    runner.forgetStatements()
    objects = CachedObjectReader(session, view.cache)
  }

  /// The reader of values of a plan's objects.
  func planReader(_ plan: Plan) -> PlanReader { PlanReader(plan: plan, session: session, runner: runner) }

  /// The reader that writes the plan's objects from the columns of their rows.
  func rowReader(of plan: Plan, under visibility: Visibility?) throws(StorageError) -> RowReader {
    try prepared.lookup(plan.objectType, plan.projection, under: visibility).reader
  }

  /// The reader that writes the plan's page, and the statement that it runs.
  func pageReader(
    _ plan: Plan, _ content: PageReader.Content
  ) throws(StorageError) -> (reader: PageReader, sql: SQLText) {
    let page = try runner.page(plan, columns: content.columns, in: session)
    try runner.begin(page, of: plan, in: session)
    return (try prepared.pageReader(page, content), page.sql)
  }

  /// The reader of objects in the form that the change log has them in.
  func images() -> ImageReader { prepared.images() }

  /// The reader that writes the objects of a projection by their keys.
  func objectReader(
    _ projection: Projection, _ visibility: Visibility? = nil
  ) throws(StorageError) -> ObjectReader {
    try prepared.objectReader(projection, under: visibility)
  }
}
