public import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Finds what is wrong with a file: what SQLite knows of, and then the rules of ours that `Storage.md` lists.
struct IntegrityCheck {
  private let session: ReadSession
  private let now: Date
  private var violations: [Violation] = []

  init(_ session: ReadSession, now: Date) {
    self.session = session
    self.now = now
  }

  /// All that is wrong. `progress` is told which class of how many is next.
  mutating func run(_ progress: (_ done: Int, _ total: Int) -> Void) throws(StorageError) -> [Violation] {
    let tables = session.catalog.tables
    try checkFile()
    // Where SQLite cannot follow its own structures, further answers would mean nothing.
    guard violations.isEmpty else { return violations }
    try checkTables()
    guard violations.isEmpty else { return violations }
    for (index, table) in tables.enumerated() {
      progress(index + 1, tables.count + 2)
      try check(index, table)
    }
    try checkLog()
    progress(tables.count + 2, tables.count + 2)
    return violations
  }

  private mutating func checkFile() throws(StorageError) {
    let statement = try session.prepare("PRAGMA integrity_check(20)")
    while try session.step(statement) {
      let text = statement.string(at: 0)
      if text != "ok" { violations.append(.file(text)) }
    }
  }

  /// Checks that all tables and indexes of the schema are there; whether they agree, SQLite has looked at.
  private mutating func checkTables() throws(StorageError) {
    let statement = try session.prepare("SELECT count(*) FROM sqlite_schema WHERE name = ?1")
    for table in session.catalog.tables {
      var names = [table.name]
      for layout in table.properties where layout.element != nil {
        if !layout.isColumn, let name = layout.name { names.append(name) }
        if table.indexKind(of: layout) != nil { names.append(table.bareIndexName(of: layout)) }
      }
      names += table.objectType.constraints.uniqueKeys.map { table.bareUniqueName(of: $0) }
      for name in names {
        statement.bind(name, at: 1)
        if try session.integer(statement) != 1 { violations.append(.missing(name)) }
      }
    }
  }

  private mutating func check(_ index: Int, _ table: TableLayout) throws(StorageError) {
    let name = table.objectType.name
    if table.objectType.isEmbedded {
      report(
        try count("SELECT count(*) FROM \(table.table) WHERE \(session.catalog.parents(of: index)) <> 1")
      ) { .embeddedParents(objectType: name, count: $0) }
    } else {
      try checkCounters(table)
      report(
        try count(
          """
          SELECT count(*) FROM \(table.table) WHERE _version NOT IN (SELECT version FROM _commits) \
          AND (_version >= (SELECT min(version) FROM _commits) OR _version < 1)
          """)
      ) { .unknownVersions(objectType: name, count: $0) }
    }
    for layout in table.properties where layout.element != nil { try check(layout, of: table) }
  }

  private mutating func checkCounters(_ table: TableLayout) throws(StorageError) {
    let name = table.objectType.name
    let row = try session.prepare("SELECT next_key, objects FROM _classes WHERE name = ?1")
    row.bind(name, at: 1)
    guard try session.step(row) else { throw .corrupt("class without counters") }
    let (next, kept) = (row.int64(at: 0), row.int64(at: 1))
    row.reset()
    let counted = try count("SELECT count(*) FROM \(table.table)")
    if counted != kept { violations.append(.wrongCount(objectType: name, kept: kept, counted: counted)) }
    let largest = try count("SELECT ifnull(max(_key), -1) FROM \(table.table)")
    if largest >= next { violations.append(.keyReuse(objectType: name, next: next, largest: largest)) }
  }

  private mutating func check(_ layout: PropertyLayout, of table: TableLayout) throws(StorageError) {
    let place = "\(table.objectType.name).\(layout.property.name)"
    let (rows, column) = layout.isColumn ? (table.table, layout.column) : (layout.child, "value")
    if !layout.isColumn {
      report(
        try count(
          "SELECT count(*) FROM \(rows) WHERE owner NOT IN (SELECT _key FROM \(table.table))")
      ) { .orphanElements(place: place, count: $0) }
    }
    report(try session.illegalKeyCount(of: layout, rows, column)) { .illegalKeys(place: place, count: $0) }
    try checkValues(of: layout, at: place, in: rows, column: column)
    if case .list = layout.property.type { try checkBlocks(layout, place) }
    if layout.property.index == .fullText {
      report(try count(table.wrongWords(of: layout))) { .wrongWords(place: place, count: $0) }
    }
    switch layout.element {
    case .object(let target)?:
      let target = try session.catalog.table(target)
      report(
        try count(
          """
          SELECT count(*) FROM \(rows) WHERE \(column) IS NOT NULL \
          AND \(column) NOT IN (SELECT _key FROM \(target.table))
          """)
      ) { .danglingLinks(place: place, count: $0) }
    case .mixed?: try checkMixed(layout, of: table, at: place, in: rows, column: column)
    case .some, nil: break
    }
  }

  /// Values are what their columns hold, and null only where null may be.
  private mutating func checkValues(
    of layout: PropertyLayout, at place: String, in rows: String, column: String
  ) throws(StorageError) {
    guard let element = layout.element else { return }
    if !layout.property.type.allowsNull {
      report(try count("SELECT count(*) FROM \(rows) WHERE \(column) IS NULL")) {
        .nulls(place: place, count: $0)
      }
    }
    if let test = ColumnCoding.test(of: element, column) {
      report(
        try count("SELECT count(*) FROM \(rows) WHERE \(column) IS NOT NULL AND NOT (\(test))")
      ) { .unreadable(place: place, count: $0) }
    }
    try checkTexts(at: place, in: rows, column: column)
    if case .map = layout.property.type {
      let keys = "\(place) (keys)"
      report(try count("SELECT count(*) FROM \(rows) WHERE typeof(key) <> 'text'")) {
        .unreadable(place: keys, count: $0)
      }
      try checkTexts(at: keys, in: rows, column: "key")
    }
    guard element.isSpelt else { return }
    let values = try session.prepare("SELECT \(column) FROM \(rows) WHERE typeof(\(column)) = 'text'")
    var unreadable: Int64 = 0
    while try session.step(values) {
      do { _ = try values.value(as: element, at: 0) } catch { unreadable += 1 }
    }
    report(unreadable) { .unreadable(place: place, count: $0) }
  }

  /// Texts are UTF-8: SQLite keeps any bytes.
  private mutating func checkTexts(at place: String, in rows: String, column: String) throws(StorageError) {
    let values = try session.prepare("SELECT \(column) FROM \(rows) WHERE typeof(\(column)) = 'text'")
    var malformed: Int64 = 0
    while try session.step(values) {
      if !values.text(at: 0).isUTF8 { malformed += 1 }
    }
    report(malformed) { .malformedTexts(place: place, count: $0) }
  }

  private mutating func checkBlocks(_ layout: PropertyLayout, _ place: String) throws(StorageError) {
    let list = literal(layout.name ?? "")
    report(
      try count(
        """
        WITH block AS (SELECT owner, position AS start, elements, ifnull(lead(position) \
        OVER (PARTITION BY owner ORDER BY position), \(Int64.max)) AS stop FROM _list_blocks WHERE list = \(list)) \
        SELECT (SELECT count(*) FROM block WHERE elements <> (SELECT count(*) FROM \(layout.child) AS c \
        WHERE c.owner = block.owner AND c.position >= start AND c.position < stop)) \
        + (SELECT count(*) FROM (SELECT min(start) AS first FROM block GROUP BY owner) \
        WHERE first <> \(ListBlocks.start))
        """)
    ) { .wrongBlocks(place: place, count: $0) }
  }

  /// Links inside mixed values lead to objects that are there, and are noted in `_mixed_links`.
  private mutating func checkMixed(
    _ layout: PropertyLayout, of table: TableLayout, at place: String, in rows: String, column: String
  ) throws(StorageError) {
    let owner = layout.isColumn ? "_key" : "owner"
    let values = try session.prepare(
      "SELECT \(owner), \(column) FROM \(rows) WHERE typeof(\(column)) = 'blob'")
    var (unreadable, dangling, unnoted): (Int64, Int64, Int64) = (0, 0, 0)
    while try session.step(values) {
      guard let value = MixedCoding.decode(values.blob(at: 1)) else {
        unreadable += 1
        continue
      }
      for link in value.links {
        if try !exists(link) { dangling += 1 }
        if try !isNoted(link, from: values.int64(at: 0), in: table, property: layout) { unnoted += 1 }
      }
    }
    report(unreadable) { .unreadable(place: place, count: $0) }
    report(dangling) { .danglingLinks(place: place, count: $0) }
    report(unnoted) { .unnotedMixedLinks(place: place, count: $0) }
  }

  private func isNoted(
    _ link: ObjectLink, from owner: Int64, in table: TableLayout, property layout: PropertyLayout
  ) throws(StorageError) -> Bool {
    let note = try session.cached(
      """
      SELECT EXISTS (SELECT 1 FROM _mixed_links WHERE target = ?1 AND target_key = ?2 AND owner = ?3 \
      AND owner_key = ?4 AND property = ?5)
      """)
    note.bind(link.objectType, at: 1)
    note.bind(link.key.value, at: 2)
    note.bind(table.objectType.name, at: 3)
    note.bind(owner, at: 4)
    note.bind(layout.property.storedName, at: 5)
    return try session.integer(note) == 1
  }

  private func exists(_ link: ObjectLink) throws(StorageError) -> Bool {
    guard session.catalog.schema[link.objectType] != nil else { return false }
    let table = try session.catalog.table(link.objectType)
    let statement = try session.cached("SELECT EXISTS (SELECT 1 FROM \(table.table) WHERE _key = ?1)")
    statement.bind(link.key.value, at: 1)
    return try session.integer(statement) == 1
  }

  private mutating func checkLog() throws(StorageError) {
    report(
      try count(
        """
        SELECT ifnull(max(version), 0) - count(*) - min(ifnull(min(version), 1), \
        max((SELECT value FROM _meta WHERE name = 'log_floor'), 1)) + 1 FROM _commits
        """)
    ) { .missingCommits($0) }
    report(
      try count(
        """
        SELECT max(0, (SELECT value FROM _meta WHERE name = 'log_floor') \
        - max(0, ifnull(max(version), 0) - 1)) FROM _commits
        """)
    ) { .logBeyondLastCommit($0) }
    report(
      try count("SELECT count(*) FROM _changes WHERE version NOT IN (SELECT version FROM _commits)")
    ) { .changesWithoutCommit($0) }
    // Rows below the floor are being removed, the first changes of a commit first.
    report(
      try count(
        """
        SELECT count(*) FROM (SELECT version FROM _changes \
        WHERE version > (SELECT value FROM _meta WHERE name = 'log_floor') \
        GROUP BY version HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1)
        """)
    ) { .unnumberedChanges($0) }
    report(
      try count(
        """
        SELECT count(*) FROM _commits WHERE version > (SELECT value FROM _meta WHERE name = 'log_floor') \
        AND version NOT IN (SELECT version FROM _changes)
        """)
    ) { .emptyCommits($0) }
    report(
      try count(
        "SELECT count(*) FROM (SELECT size < lag(size, 1, 0) OVER (ORDER BY version) AS less FROM _commits) WHERE less"
      )
    ) { .sizesShrink($0) }
    report(
      try count(
        """
        SELECT count(*) FROM _commits WHERE typeof(size) <> 'integer' \
        OR size NOT BETWEEN \(Counters.countable.lowerBound) AND \(Counters.countable.upperBound - 1)
        """)
    ) { .uncountableSizes($0) }
    try checkTimes()
    try checkChanges()
    report(
      try count(
        "SELECT count(*) FROM (SELECT time < lag(time) OVER (ORDER BY version) AS back FROM _commits) WHERE back"
      )
    ) { .timesGoBack($0) }
  }

  /// The times of commits are dates.
  private mutating func checkTimes() throws(StorageError) {
    let rows = try session.prepare("SELECT time FROM _commits")
    var unreadable: Int64 = 0
    while try session.step(rows) {
      if rows.storageClass(at: 0) != .text || Date(storedText: rows.text(at: 0)) == nil { unreadable += 1 }
    }
    report(unreadable) { .unreadableTimes($0) }
    // A clock may have been set back a little meanwhile.
    let latest = Date(seconds: now.seconds + 60).storedText
    let ahead = try session.prepare("SELECT count(*) FROM _commits WHERE time > ?1")
    ahead.bind(latest, at: 1)
    report(try session.integer(ahead) ?? 0) { .timesAhead($0) }
  }

  /// The values of changes can be read.
  private mutating func checkChanges() throws(StorageError) {
    let rows = try session.prepare("SELECT before, after, elements, id, operation FROM _changes")
    var unreadable: Int64 = 0
    for table in session.catalog.tables { unreadable += try countOfUntold(table) }
    while try session.step(rows) {
      let isReadable =
        (rows.storageClass(at: 3) != .blob || MixedCoding.decode(rows.blob(at: 3)) != nil)
        && (0...1).allSatisfy { rows.isNull(at: $0) || MixedCoding.decode(rows.blob(at: $0)) != nil }
        && (rows.isNull(at: 2) || CollectionChange.decode(rows.blob(at: 2)) != nil)
        && StoredOperation(rawValue: rows.int64(at: 4)) != nil
      if !isReadable { unreadable += 1 }
    }
    report(unreadable) { .unreadableChanges($0) }
  }

  /// How many objects were made of which neither the log nor a row says with what.
  private func countOfUntold(_ table: TableLayout) throws(StorageError) -> Int64 {
    let rows = try session.prepare(
      """
      SELECT count(*) FROM _changes WHERE class = ?1 AND operation = 0 AND after IS NULL \
      AND object_key NOT IN (SELECT _key FROM \(table.table))
      """)
    rows.bind(table.objectType.name, at: 1)
    return try session.integer(rows) ?? 0
  }

  private mutating func report(_ count: Int64, _ violation: (Int64) -> Violation) {
    if count != 0 { violations.append(violation(count)) }
  }

  private func count(_ sql: String) throws(StorageError) -> Int64 {
    try session.integer(try session.prepare(sql)) ?? 0
  }
}

extension StoreSnapshot {
  /// Everything that is wrong with the file; empty: nothing is. `progress` is told how many parts are done, of how
  /// many.
  public func check(
    now: Date = .now, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StorageError) -> [Violation] {
    var check = IntegrityCheck(session, now: now)
    return try check.run(progress)
  }
}

extension PropertyType {
  /// Whether null is a legal value of the property, or of its elements.
  fileprivate var allowsNull: Bool {
    switch self {
    case .one(_, let optional), .list(_, let optional), .set(_, let optional), .map(_, let optional): optional
    case .linkingObjects: true
    }
  }
}

extension Mixed {
  /// The links in the value.
  fileprivate var links: [ObjectLink] {
    switch self {
    case .link(let link): [link]
    case .list(let values): values.flatMap(\.links)
    case .dictionary(let entries): entries.flatMap(\.value.links)
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: []
    }
  }
}
