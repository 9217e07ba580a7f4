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

  private final class Table {
    /// The pointer by which SQLite names the table; it may be another's name one day.
    var pointer: UnsafePointer<CChar>
    /// A copy of the name.
    let name: UnsafeMutablePointer<CChar>
    let columnCount: Int
    let key: [Int]
    /// Its number in the transaction; negative: it has not been named.
    var number = -1

    init?(named pointer: UnsafePointer<CChar>, columnCount: Int, key: [Int]) {
      guard let copy = strdup(pointer) else { return nil }
      (self.pointer, name, self.columnCount, self.key) = (pointer, copy, columnCount, key)
    }

    deinit { free(name) }

    func isNamed(_ text: UnsafePointer<CChar>) -> Bool { strcmp(name, text) == 0 }
  }

  private unowned let connection: Connection
  private let buffer = RowBuffer()
  /// There are few: going through them is faster than a dictionary.
  private var tables: [Table] = []
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

  /// Begins a transaction.
  func begin() {
    precondition(!isActive, "one transaction at a time is written down")
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
    for table in tables { table.number = -1 }
  }

  /// Forgets the tables: the schema may have been rolled back.
  func forgetTables() { tables.removeAll(keepingCapacity: true) }

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
      for table in tables where table.number >= named { table.number = -1 }
    }
    statementStart = self.mark
  }

  /// The bytes that have not been taken, of which the first ones are no more than a part may have.
  var bytes: UnsafeRawBufferPointer { buffer.bytes }

  /// Removes the first bytes: they are on their way.
  func take(_ count: Int) {
    precondition(isActive, "what is taken is of the transaction that is written down")
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
    guard isActive, !hasFailed, let table = table(of: row) else { return }
    if table.number < 0 { name(table) }
    switch row.kind {
    case .insert: insert(row, into: table)
    case .delete: delete(row, from: table)
    case .update where table.key.isEmpty && row.rowid != row.newRowid:
      delete(row, from: table)
      insert(row, into: table)
    case .update: update(row, of: table)
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

  /// Names a table that the transaction has not named yet.
  private func name(_ table: Table) {
    precondition(table.number < 0, "a table is named once in a transaction")
    table.number = named
    named += 1
    buffer.append(byte: RowRecord.Tag.table)
    buffer.append(counted: UnsafeRawBufferPointer(start: table.name, count: strlen(table.name)))
    buffer.append(varint: UInt64(table.columnCount))
    buffer.append(varint: UInt64(table.key.count))
    for column in table.key { buffer.append(varint: UInt64(column)) }
  }

  private func table(of row: RowUpdate) -> Table? {
    for table in tables where table.pointer == row.table && table.isNamed(row.table) { return table }
    for table in tables where table.isNamed(row.table) {
      table.pointer = row.table
      return table
    }
    return addTable(of: row)
  }

  /// Looks at a table. SQLite's session extension, too, asks for the columns from within the hook.
  private func addTable(of row: RowUpdate) -> Table? {
    let name = String(cString: row.table)
    guard let shape = try? TableShape(of: name, on: connection), shape.columns.count == row.columnCount,
      let table = Table(named: row.table, columnCount: row.columnCount, key: shape.key)
    else {
      hasFailed = true
      return nil
    }
    tables.append(table)
    return table
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
