public import Model
public import Query
import SQLite
public import Sharing

/// A read-only connection with its cache of prepared statements. Used by one thread at a time.
///
/// Where reads share a snapshot, it is of the state that was published last when they begin, and ends with ``release()``.
public final class Reader {
  /// How the objects of a page are put together.
  public enum Framing: Sendable {
    /// One array.
    case array
    /// A line each (JSON), or one after the other (BSON).
    case sequence
  }

  /// What a page holds.
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
  /// The same where the threads for what is not brief are all busy, and more of it comes.
  private static let brieferWork = 4
  private static let pageBudget = 4 << 20

  /// What readers share of the store.
  let view: StoreView
  /// What is known of the store.
  private(set) var state: Published<StoreState>.Copy
  /// Whether a snapshot stays for those who read next.
  let sharesSnapshots: Bool
  let connection: Connection
  private(set) var session: ReadSession
  private var lookups: [Projection: ObjectLookup] = [:]
  private(set) var objects: CachedObjectReader
  /// In bytes of SQL; a statement takes a few times as much.
  private var pages = GenerationalCache<PageShape, PageReader>(budget: pageBudget)
  let residuals = Residuals()
  private var objectReaders: [Projection: ObjectReader] = [:]
  var compiled = PageStatementCache()
  /// For each class, the projection of whoever asks for none, as a plan had it last.
  private var wholes: [Projection]
  /// Made when it is first needed.
  private var imageSource: ImageReader?
  /// Reads old changes of the log in the terms of today's schema.
  let translation = LogTranslation()
  private var longStatements = LongStatements()
  /// Who reads on an event loop, where that matters; and what of it has begun.
  private var briefCaller: Caller?
  private var briefRun: LongStatements.Run?
  /// Whether everything is read from the state of the file that is open.
  var isHeld = false
  /// The last commits, perhaps.
  var tail: LogTail { view.tail }

  init(_ view: StoreView, sharesSnapshots: Bool = false) throws(StorageError) {
    self.view = view
    self.sharesSnapshots = sharesSnapshots
    state = view.published.copy
    connection = try DatabaseFile.openReader(view.database)
    connection.limits.time = view.options.queryTime
    connection.obeyLimits()
    do { try residuals.register(on: connection) } catch { throw StorageError(error) }
    session = ReadSession(connection, catalog: state.value.catalog.unshared)
    wholes = Self.wholes(of: session.catalog)
    objects = CachedObjectReader(session, view.cache)
    objects.begin(state.value.changes)
  }

  /// The schema as of the last commit, and its generation, which goes up with every change.
  public var schemaState: (schema: Schema, generation: Int64) {
    if !isHeld { catchUp() }
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
    connection.limits.work = view.isReadingBusy ? Self.brieferWork : Self.briefWork
    if !longStatements.isEmpty { briefCaller = caller() }
    defer {
      connection.limits.work = nil
      briefCaller = nil
      briefRun = nil
    }
    do {
      let answer = try body(self)
      if let briefRun, let briefCaller { longStatements.addBrief(briefRun, for: briefCaller) }
      return answer
    } catch StorageError.timeLimit where connection.limits.reason == .work {
      if let briefRun { longStatements.addStopped(briefRun, for: briefCaller ?? caller()) }
      return nil
    }
  }

  /// Notes that a plan's statement begins; throws ``StorageError/timeLimit`` where it is to be brief and had better be
  /// left out.
  func begin(_ run: LongStatements.Run) throws(StorageError) {
    guard connection.limits.work != nil else { return }
    guard let briefCaller, longStatements.skips(run, for: briefCaller) else {
      briefRun = run
      return
    }
    connection.limits.work = 0
    if connection.mustStop { throw .timeLimit }
  }

  /// What `body` reads through this reader; it fails with ``StorageError/cancelled`` once the interruption is
  /// requested. The nanoseconds that it has waited count towards its time limit.
  func read<Answer>(
    until interruption: Interruption, waited: UInt64, _ body: (Reader) throws -> Answer
  ) throws -> Answer {
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
    as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> Int64? {
    guard let condition else { return try object(objectType, id, projection, representation, &bytes) }
    return try current { () throws(StorageError) in
      try snapshot { () throws(StorageError) in
        guard try find(objectType, id, condition) != nil else { return nil }
        return try lookup(objectType, projection).write(id, as: representation, into: &bytes)?.version
      }
    }
  }

  private func object(
    _ objectType: String, _ id: Mixed, _ projection: Projection?, _ representation: Representation,
    _ bytes: inout [UInt8]
  ) throws(StorageError) -> Int64? {
    try current { () throws(StorageError) in
      guard projection == nil, representation == .json, session.observer == nil else {
        return try lookup(objectType, projection).write(id, as: representation, into: &bytes)?.version
      }
      let table = try session.catalog.topLevelIndex(of: objectType)
      if let version = objects.appendCached(table, id: id, to: &bytes) { return version }
      return try snapshot { () throws(StorageError) in try objects.append(table, id: id, to: &bytes) }
    }
  }

  /// The object's version; nil where there is none, or the condition does not hold for it.
  public func version(
    _ objectType: String, id: Mixed, where condition: Predicate? = nil
  ) throws(StorageError) -> Int64? {
    try current { () throws(StorageError) in
      guard let condition else { return try lookup(objectType, nil).find(id)?.version }
      return try snapshot { () throws(StorageError) in try find(objectType, id, condition)?.version }
    }
  }

  /// The object, where the condition, bound to its class, holds for it. To be called within ``snapshot(_:)``.
  func find(
    _ objectType: String, _ id: Mixed, _ condition: Predicate
  ) throws(StorageError) -> (key: Int64, version: Int64)? {
    guard let found = try lookup(objectType, nil).find(id) else { return nil }
    let table = try session.catalog.table(objectType)
    return try session.holds(condition, for: table, ObjectKey(found.key)) ? found : nil
  }

  /// The number of objects of every class that is not embedded, in the order of the schema.
  public func counts() throws(StorageError) -> [(objectType: String, count: Int)] {
    try current { () throws(StorageError) in
      let statement = try session.cached("SELECT objects FROM _classes WHERE name = ?1")
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
    return try currentSnapshot { () throws(StorageError) in
      // A second try begins anew.
      bytes.removeSubrange(start...)
      let index = try session.catalog.topLevelIndex(of: plan.objectType)
      // A stream would only drive everything else out of the cache.
      let isKept =
        representation == .json && framing == .array && session.observer == nil
        && showsAll(plan, of: index)
      let content: PageReader.Content =
        if isKept, objects.hasMost(of: index) {
          .cached(objects, table: index)
        } else {
          .rows(try lookup(plan.objectType, plan.projection).reader, keptBy: isKept ? objects : nil, index)
        }
      let page = try compiled.page(plan, columns: content.columns, in: session)
      try begin(LongStatements.Run(statement: page.number, atMost: plan.pageSize ?? .max))
      residuals.prepare(page.residuals, in: session)
      return try pageReader(page, content).write(
        page.sql, size: plan.pageSize, as: representation, framing: framing, atMost: room, into: &bytes)
    }
  }

  /// How many objects the plan matches, its cursor and page size left aside.
  public func count(_ plan: Plan) throws(StorageError) -> Int {
    try current { () throws(StorageError) in
      var compiler = try PlanCompiler(plan, catalog: session.catalog)
      let sql = try compiler.count(plan)
      try begin(LongStatements.Run(statement: sql.text.hashValue))
      residuals.prepare(compiler.residuals, in: session)
      let statement = try session.recent(sql.text)
      sql.bind(to: statement)
      return Int(try session.integer(statement) ?? 0)
    }
  }

  /// Takes over what was published last.
  func catchUp() {
    session.answer += 1
    if state.isCurrent { return }
    state = view.published.copy
    release()
    if state.value.catalog.generation != session.catalog.generation { use(state.value.catalog.unshared) }
    objects.begin(state.value.changes)
  }

  private func use(_ catalog: Catalog) {
    connection.clearCache()
    session = ReadSession(connection, catalog: catalog)
    lookups = [:]
    pages.removeAll()
    objectReaders = [:]
    compiled = PageStatementCache()
    wholes = Self.wholes(of: catalog)
    imageSource = nil
    objects = CachedObjectReader(session, view.cache)
  }

  /// What gives objects as the change log has them.
  func images() -> ImageReader {
    if let imageSource { return imageSource }
    let source = ImageReader(session)
    imageSource = source
    return source
  }

  private static func wholes(of catalog: Catalog) -> [Projection] {
    catalog.tables.map { .all(of: $0.objectType) }
  }

  /// Whether the plan shows all of its class.
  private func showsAll(_ plan: Plan, of index: Int) -> Bool {
    guard plan.projection == wholes[index] else { return false }
    // Plans share theirs, so that the next one's is compared with itself.
    wholes[index] = plan.projection
    return true
  }

  private func pageReader(
    _ page: PageStatementCache.Page, _ content: PageReader.Content
  ) throws(StorageError) -> PageReader {
    let shape = PageShape(statement: page.number, content: content.identity)
    if let reader = pages[shape] { return reader }
    let text = page.sql.text
    let reader = try PageReader(text, content: content, in: session)
    pages.add(reader, for: shape, cost: text.utf8.count + 1024)
    return reader
  }

  /// What writes the objects of a projection by their keys.
  func objectReader(_ projection: Projection) throws(StorageError) -> ObjectReader {
    if let reader = objectReaders[projection] { return reader }
    let table = try session.catalog.table(projection.objectType)
    let reader = ObjectReader(table, projection: projection, in: session)
    if objectReaders.count >= 64 { objectReaders = [:] }
    objectReaders[projection] = reader
    return reader
  }

  private func lookup(
    _ objectType: String, _ projection: Projection?
  ) throws(StorageError) -> ObjectLookup {
    let table = session.catalog.tables[try session.catalog.topLevelIndex(of: objectType)]
    let projection = projection ?? .all(of: table.objectType)
    if let lookup = lookups[projection] { return lookup }
    let lookup = try ObjectLookup(table, projection: projection, in: session)
    // Projections come from requests, so that their number has no bound of its own.
    if lookups.count >= 64 { lookups = [:] }
    lookups[projection] = lookup
    return lookup
  }
}

/// What a prepared page depends on: the statement, and what its columns are written as.
private struct PageShape: Hashable {
  let statement: Int
  let content: ObjectIdentifier
}
