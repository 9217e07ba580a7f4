import GatehouseSQLite
import Glibc

/// Writes down the rows that a connection changes, as SQLite is about to change them, and the statements that change the schema.
///
/// Nothing is written down but between ``begin()`` and ``end()``. What SQLite undoes has to be cut back: a savepoint by
/// ``cut(to:)``, a statement that fails by itself.
final class RowCapture {
  /// A state to go back to.
  struct Mark {
    /// The bytes written down since the transaction began.
    fileprivate let size: Int
    /// The tables that it had named.
    fileprivate let tables: Int
  }

  private struct Table {
    /// A copy of the name: the pointer by which SQLite names a table may be another's one day.
    let name: UnsafeMutablePointer<CChar>
    let columnCount: Int
    let key: [Int]
    /// Its number in the transaction; negative: it has not been named.
    var number = -1
  }

  private unowned let connection: Connection
  private let buffer = RowBuffer()
  private var tables: [Table] = []
  private var places: [UnsafePointer<CChar>: Int] = [:]
  /// The table of the row before.
  private var last: (pointer: UnsafePointer<CChar>, place: Int)?
  private var named = 0
  private var isActive = false
  /// The bytes of the transaction that have left the buffer.
  private var taken = 0
  /// The state before the statement at work.
  private var statementStart = Mark(size: 0, tables: 0)
  /// Whether something could not be written down, or not be cut back.
  private(set) var hasFailed = false
  /// Called when there are as many bytes as a part may have.
  var didFill: () -> Void = {}
  private let limit: Int

  /// Throws ``StorageError/rowsNotObservable`` where SQLite cannot tell what changes.
  init(of connection: Connection, limit: Int) throws(StorageError) {
    self.connection = connection
    self.limit = limit
    let isObserving = connection.observeRows(
      willRun: { [unowned self] in willRun($0) }, willChange: { [unowned self] in willChange($0) },
      didFail: { [unowned self] in if isActive { cut(to: statementStart) } })
    guard isObserving else { throw .rowsNotObservable }
  }

  deinit { forgetTables() }

  /// Begins a transaction.
  func begin() {
    end()
    isActive = true
  }

  /// Ends the transaction, and forgets it.
  func end() {
    isActive = false
    hasFailed = false
    buffer.cut(to: 0)
    taken = 0
    named = 0
    statementStart = mark
    for index in tables.indices { tables[index].number = -1 }
  }

  /// Forgets the tables: the schema may have been rolled back.
  func forgetTables() {
    for table in tables { free(table.name) }
    tables.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    last = nil
  }

  var mark: Mark { Mark(size: taken + buffer.count, tables: named) }

  /// Whether the transaction has changed nothing.
  var isEmpty: Bool { taken + buffer.count == 0 }

  /// Forgets what came after the mark, which SQLite has undone.
  func cut(to mark: Mark) {
    guard mark.size >= taken else {
      hasFailed = true
      return
    }
    buffer.cut(to: mark.size - taken)
    if named > mark.tables {
      named = mark.tables
      for index in tables.indices where tables[index].number >= named { tables[index].number = -1 }
    }
    statementStart = self.mark
  }

  /// The bytes that have not been taken, of which the first ones are no more than a part may have.
  var bytes: UnsafeRawBufferPointer { buffer.bytes }

  /// Removes the first bytes: they are on their way.
  func take(_ count: Int) {
    taken += count
    buffer.removeFirst(count)
  }

  /// Adds a notice to the transaction.
  func append(_ notice: ReplicationNotice) {
    buffer.append(byte: RowRecord.Tag.notice)
    var kind = notice.kind
    kind.withUTF8 { buffer.append(counted: UnsafeRawBufferPointer($0)) }
    notice.content.withUnsafeBytes { buffer.append(counted: $0) }
  }

  // Calls by SQLite

  private func willRun(_ sql: UnsafePointer<CChar>) {
    guard isActive else { return }
    statementStart = mark
    guard RowCapture.changesSchema(sql) else { return }
    forgetTables()
    buffer.append(byte: RowRecord.Tag.statement)
    buffer.append(counted: UnsafeRawBufferPointer(start: sql, count: strlen(sql)))
  }

  /// Whether the statement is CREATE, ALTER or DROP.
  private static func changesSchema(_ sql: UnsafePointer<CChar>) -> Bool {
    switch (UInt8(bitPattern: sql[0]), UInt8(bitPattern: sql[1])) {
    case (UInt8(ascii: "C"), UInt8(ascii: "R")), (UInt8(ascii: "A"), UInt8(ascii: "L")),
      (UInt8(ascii: "D"), UInt8(ascii: "R")):
      true
    default: false
    }
  }

  private func willChange(_ row: RowUpdate) {
    guard isActive, !hasFailed, let place = place(of: row) else { return }
    nameTable(place)
    switch row.kind {
    case .insert: insert(row, into: tables[place])
    case .delete: delete(row, from: tables[place])
    case .update where tables[place].key.isEmpty && row.rowid != row.newRowid:
      delete(row, from: tables[place])
      insert(row, into: tables[place])
    case .update: update(row, of: tables[place])
    }
    if buffer.count >= limit { didFill() }
  }

  private func insert(_ row: RowUpdate, into table: Table) {
    buffer.append(byte: RowRecord.Tag.insert)
    buffer.append(varint: UInt64(table.number))
    if table.key.isEmpty { buffer.append(varint: row.newRowid.zigzag) }
    for column in 0..<table.columnCount { append(row.new(column)) }
  }

  private func delete(_ row: RowUpdate, from table: Table) {
    buffer.append(byte: RowRecord.Tag.delete)
    buffer.append(varint: UInt64(table.number))
    appendKey(of: row, table)
  }

  private func update(_ row: RowUpdate, of table: Table) {
    let start = buffer.count
    buffer.append(byte: RowRecord.Tag.update)
    buffer.append(varint: UInt64(table.number))
    appendKey(of: row, table)
    let mask = buffer.count
    for _ in 0..<(table.columnCount + 7) / 8 { buffer.append(byte: 0) }
    var isChanged = false
    for column in 0..<table.columnCount {
      guard let old = row.old(column), let new = row.new(column) else {
        hasFailed = true
        return
      }
      guard !old.isSame(as: new) else { continue }
      isChanged = true
      buffer.setBit(column, behind: mask)
      append(new)
    }
    if !isChanged { buffer.cut(to: start) }
  }

  private func appendKey(of row: RowUpdate, _ table: Table) {
    if table.key.isEmpty { buffer.append(varint: row.rowid.zigzag) }
    for column in table.key { append(row.old(column)) }
  }

  private func append(_ column: RowColumn?) {
    guard let column else {
      hasFailed = true
      return
    }
    switch column.storageClass {
    case .null: buffer.append(byte: RowValue.Tag.null)
    case .integer:
      buffer.append(byte: RowValue.Tag.integer)
      buffer.append(varint: column.int64.zigzag)
    case .real:
      buffer.append(byte: RowValue.Tag.real)
      buffer.appendReal(column.double)
    case .text:
      buffer.append(byte: RowValue.Tag.text)
      buffer.append(counted: column.bytes)
    case .blob:
      buffer.append(byte: RowValue.Tag.blob)
      buffer.append(counted: column.bytes)
    }
  }

  // Tables

  /// Names the table where the transaction has not yet.
  private func nameTable(_ place: Int) {
    guard tables[place].number < 0 else { return }
    tables[place].number = named
    named += 1
    let table = tables[place]
    buffer.append(byte: RowRecord.Tag.table)
    buffer.append(counted: UnsafeRawBufferPointer(start: table.name, count: strlen(table.name)))
    buffer.append(varint: UInt64(table.columnCount))
    buffer.append(varint: UInt64(table.key.count))
    for column in table.key { buffer.append(varint: UInt64(column)) }
  }

  private func place(of row: RowUpdate) -> Int? {
    if let last, last.pointer == row.table, strcmp(tables[last.place].name, row.table) == 0 {
      return last.place
    }
    if let place = places[row.table], strcmp(tables[place].name, row.table) == 0 {
      last = (row.table, place)
      return place
    }
    return addTable(of: row)
  }

  /// Looks at a table. SQLite's session extension, too, asks for the columns from within the hook.
  private func addTable(of row: RowUpdate) -> Int? {
    let name = String(cString: row.table)
    guard let shape = try? TableShape(of: name, on: connection), shape.columns.count == row.columnCount,
      let copy = strdup(row.table)
    else {
      hasFailed = true
      return nil
    }
    tables.append(Table(name: copy, columnCount: row.columnCount, key: shape.key))
    places[row.table] = tables.count - 1
    last = (row.table, tables.count - 1)
    return tables.count - 1
  }
}

extension RowColumn {
  /// Whether both are the same to the last bit.
  fileprivate func isSame(as other: RowColumn) -> Bool {
    guard storageClass == other.storageClass else { return false }
    switch storageClass {
    case .null: return true
    case .integer: return int64 == other.int64
    case .real: return double.bitPattern == other.double.bitPattern
    case .text, .blob:
      let (mine, theirs) = (bytes, other.bytes)
      guard mine.count == theirs.count, let left = mine.baseAddress, let right = theirs.baseAddress else {
        return mine.count == theirs.count
      }
      return memcmp(left, right, mine.count) == 0
    }
  }
}
