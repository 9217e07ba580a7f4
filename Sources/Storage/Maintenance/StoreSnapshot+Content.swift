import GatehouseSQLite

extension StoreSnapshot {
  /// Hands over, in pieces of some size, all that the nodes of a cluster have alike: the statements that have made the tables and indexes,
  /// by name, and the rows of all tables, in the order of their keys. The same content gives the same bytes; where they are cut
  /// says nothing. The place in the transaction log is not among them.
  public func content(_ take: @escaping (UnsafeRawBufferPointer) -> Void) throws(StorageError) {
    var content = ContentBuffer(take)
    do throws(DatabaseError) {
      let statements = try connection.prepare(ContentStatements.schema)
      var tables: [String] = []
      while try statements.step() {
        content.add(statements)
        // The rows of a virtual table are in tables of their own.
        let isTable = statements.string(at: 0) == "table"
        if isTable, !statements.string(at: 2).hasPrefix("CREATE VIRTUAL") {
          tables.append(statements.string(at: 1))
        }
      }
      for table in tables {
        let shape = try TableShape(of: table, on: connection)
        let rows = try connection.prepare(
          ContentStatements.rows(
            of: table, key: shape.map { shape in shape.key.map { shape.columns[$0] } } ?? []))
        while try rows.step() { content.add(rows) }
      }
    } catch {
      throw StorageError(error)
    }
    content.flush()
  }
}

/// Bytes of rows on their way to whoever takes them.
private struct ContentBuffer {
  private static let size = 256 << 10
  private let take: (UnsafeRawBufferPointer) -> Void
  private var bytes: [UInt8] = []

  init(_ take: @escaping (UnsafeRawBufferPointer) -> Void) { self.take = take }

  /// Adds the row that a statement has come to: the storage class of each value, its length and its bytes.
  mutating func add(_ row: borrowing Statement) {
    for column in 0..<row.columnCount {
      switch row.storageClass(at: column) {
      case .null: bytes.append(0)
      case .integer: add(1, UInt64(bitPattern: row.int64(at: column)))
      case .real: add(2, row.double(at: column).bitPattern)
      case .text: add(3, row.text(at: column))
      case .blob: add(4, row.blob(at: column))
      }
    }
    bytes.append(5)
    if bytes.count >= ContentBuffer.size { flush() }
  }

  private mutating func add(_ tag: UInt8, _ number: UInt64) {
    bytes.append(tag)
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private mutating func add(_ tag: UInt8, _ value: UnsafeBufferPointer<UInt8>) {
    add(tag, UInt64(value.count))
    bytes += value
  }

  mutating func flush() {
    bytes.withUnsafeBytes(take)
    bytes.removeAll(keepingCapacity: true)
  }
}
