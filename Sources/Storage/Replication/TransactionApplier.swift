import GatehouseSQLite

/// Applies the parts of a transaction of another store, inside the SQLite transaction that is open from the first to the last.
///
///     idle ──the first part──▶ open ──the last part──▶ complete ──▶ idle
///                               └──another first part, an error──▶ to be rolled back
final class TransactionApplier {
  private let connection: Connection
  private let rows: RowApplier
  private var decoder = RowDecoder()
  /// The beginning of a record that is not complete.
  private var rest: [UInt8] = []
  /// The number of the part that comes next; nil: no transaction is open.
  private var next: Int?
  /// The version before the transaction.
  private var base: Int64 = 0
  /// The tables whose rows it has changed, by the numbers that it gave them.
  private var touched: [Bool] = []
  /// Whether it has changed the schema.
  private(set) var changesSchema = false
  /// The kinds of the records that it has changed.
  private(set) var recordKinds: Set<String> = []
  /// Called for each notice.
  private let handle: (ReplicationNotice) throws(StorageError) -> Void

  init(_ connection: Connection, handle: @escaping (ReplicationNotice) throws(StorageError) -> Void) {
    self.connection = connection
    self.handle = handle
    rows = RowApplier(connection)
  }

  /// Whether a transaction has begun and is not complete.
  var isOpen: Bool { next != nil }

  /// The names of the tables whose rows the transaction has changed.
  var touchedTables: Set<String> {
    Set(decoder.tables.indices.filter { touched[$0] }.map { decoder.tables[$0].name })
  }

  /// Begins a transaction with its first part.
  func begin(at base: Int64) {
    precondition(next == nil, "one transaction at a time is applied")
    decoder = RowDecoder()
    rest.removeAll()
    rows.begin()
    touched.removeAll(keepingCapacity: true)
    recordKinds.removeAll()
    changesSchema = false
    next = 0
    self.base = base
  }

  /// Ends the transaction, whatever has become of it. `isRolledBack`: the file has nothing of it.
  func end(isRolledBack: Bool) {
    precondition(isOpen, "a transaction of another store ends once")
    next = nil
    if changesSchema, isRolledBack { rows.forgetTables() }
  }

  /// Forgets the tables, whose shape somebody else is about to change.
  func forgetTables() { rows.forgetTables() }

  /// Applies the next part.
  func apply(_ part: TransactionPart) throws(StorageError) {
    guard part.number == next, part.base == base else { throw .invalidEntry(.unexpectedPart(part.number)) }
    next = part.number + 1
    if rest.isEmpty {
      let used = try apply(part.bytes, from: part.recordsStart)
      rest = Array(part.bytes[(part.recordsStart + used)...])
    } else {
      rest += part.bytes[part.recordsStart...]
      rest.removeFirst(try apply(rest, from: 0))
    }
    guard part.isLast else { return }
    guard rest.isEmpty else { throw .invalidEntry(.truncated) }
  }

  /// Applies the complete records of some bytes; returns how many bytes they are.
  private func apply(_ bytes: [UInt8], from start: Int) throws(StorageError) -> Int {
    try bytes.withUnsafeBufferPointer { bytes throws(StorageError) in
      try apply(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start...]))
    }
  }

  private func apply(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    var position = 0
    while let record = try next(in: bytes, at: &position) {
      switch record {
      case .table(let number):
        try rows.add(decoder.tables[number])
        touched.append(false)
      case .insert(let number):
        try rows.insert(number, decoder)
        note(number, decoder.values)
      case .update(let number):
        try rows.update(number, decoder)
        note(number, decoder.key)
      case .delete(let number):
        try rows.delete(number, decoder)
        note(number, decoder.key)
      case .statement(let text): try changeSchema(text)
      case .notice(let notice): try handle(notice)
      }
    }
    return position
  }

  private func next(
    in bytes: UnsafeRawBufferPointer, at position: inout Int
  ) throws(StorageError) -> RowRecord? {
    do throws(EntryError) { return try decoder.next(in: bytes, at: &position) } catch {
      throw .invalidEntry(error)
    }
  }

  /// Takes note of a row, of which the first column of its key says what it is: the kind of a record, the name of a value of the file.
  private func note(_ number: Int, _ values: [RowValue]) {
    precondition(touched.count == decoder.tables.count, "each table that is named may be touched")
    touched[number] = true
    guard case .text(let name)? = values.first else { return }
    switch decoder.tables[number].name {
    case "_records": recordKinds.insert(String(decoding: name, as: UTF8.self))
    // Each change of the schema is counted there, also one that leaves all tables as they are: another name, another rule.
    case "_meta" where name.elementsEqual("generation".utf8): changesSchema = true
    default: break
    }
  }

  private func changeSchema(_ text: UnsafeRawBufferPointer) throws(StorageError) {
    guard let sql = String(validating: text, as: UTF8.self), !sql.utf8.contains(0),
      ReplicationStatements.schemaVerbs.contains(where: sql.hasPrefix)
    else { throw .invalidEntry(.foreignStatement) }
    // Statements that were compiled for the tables as they were must not hold them.
    connection.clearCache()
    rows.forgetTables()
    changesSchema = true
    do throws(DatabaseError) { try connection.execute(sql) } catch {
      let failure = StorageError(error)
      throw failure.isFailureOfStore ? failure : .diverged(.statement(code: error.code))
    }
  }
}
