/// A record of a transaction: a change of a row, or what else it tells.
///
/// ## Format
///
/// | first byte | then |
/// |---|---|
/// | 1 a table | length and name, the number of columns, the number of columns of the key, and these; tables have numbers from 0, in the order in which a transaction names them. No columns in the key: rows are found by their rowid |
/// | 2 an insertion | table; the rowid where there are no columns in the key; the values of all columns |
/// | 3 an update | table; the key as it was; a bit for each column that changes, the lowest bit of the first byte for the first one; the new values of these |
/// | 4 a deletion | table; the key |
/// | 5 a change of the schema | length and text of a statement |
/// | 6 a notice | length and kind, length and content |
///
/// A key is a rowid, or the values of the key's columns in their order. Numbers are varints (``TransactionPart``), a rowid one in
/// zigzag form. A value is a byte for its storage class, and:
///
/// | first byte | then |
/// |---|---|
/// | 0 NULL | |
/// | 1 INTEGER | a varint in zigzag form |
/// | 2 REAL | 8 bytes of IEEE 754, the lowest first |
/// | 3 TEXT | length and bytes, as the file has them |
/// | 4 BLOB | length and bytes |
package enum RowRecord {
  /// The values of a row are in ``RowDecoder/key`` and ``RowDecoder/values``; the number is that of its table.
  case table(Int)
  case insert(Int)
  case update(Int)
  case delete(Int)
  /// The text is valid as long as the bytes.
  case statement(UnsafeRawBufferPointer)
  case notice(ReplicationNotice)

  enum Tag {
    static let table: UInt8 = 1
    static let insert: UInt8 = 2
    static let update: UInt8 = 3
    static let delete: UInt8 = 4
    static let statement: UInt8 = 5
    static let notice: UInt8 = 6
  }

  /// The columns that a table can have (SQLite's `SQLITE_MAX_COLUMN`, at most).
  static let mostColumns = 32_767
  /// The bytes that a text, a blob or a name can have (`SQLITE_MAX_LENGTH`, at most).
  static let mostBytes = 1 << 31 - 1
}

/// A value of a row. Texts and blobs are valid as long as the bytes that they were read from.
package enum RowValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)

  enum Tag {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let real: UInt8 = 2
    static let text: UInt8 = 3
    static let blob: UInt8 = 4
  }
}

/// A table as a transaction names it.
package struct NamedTable: Hashable, Sendable {
  package let name: String
  package let columnCount: Int
  /// The positions of the columns that a row is found by; empty: by its rowid.
  package let key: [Int]
}
