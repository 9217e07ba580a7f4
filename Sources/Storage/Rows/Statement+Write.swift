import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// How a column is read. Unlike ``ElementType`` it is copied without counting references, for each value of a page.
enum ColumnForm {
  case bool, int, float, double, decimal128, string, data, date, objectID, uuid, mixed

  init(_ type: ElementType) {
    switch type {
    case .bool: self = .bool
    // A link is its target's key.
    case .int, .object: self = .int
    case .float: self = .float
    case .double: self = .double
    case .decimal128: self = .decimal128
    case .string: self = .string
    case .data: self = .data
    case .date: self = .date
    case .objectID: self = .objectID
    case .uuid: self = .uuid
    case .mixed: self = .mixed
    }
  }
}

extension Statement {
  /// Writes the value of a column of type `type`, straight from SQLite's memory.
  func write<Writer: ValueWriter>(
    _ type: ElementType, at column: Int32, to writer: inout Writer, in session: ReadSession
  ) throws(StorageError) {
    try write(ColumnForm(type), at: column, to: &writer, in: session)
  }

  @inline(__always)
  func write<Writer: ValueWriter>(
    _ form: ColumnForm, at column: Int32, to writer: inout Writer, in session: ReadSession
  ) throws(StorageError) {
    if isNull(at: column) {
      writer.null()
      return
    }
    switch form {
    case .int: writer.int64(int64(at: column))
    case .string: writer.string(at: column, of: self)
    case .bool: writer.bool(int64(at: column) != 0)
    case .double: writer.double(storageClass(at: column) == .text ? .nan : double(at: column))
    case .float: writer.float(storageClass(at: column) == .text ? .nan : Float(double(at: column)))
    case .date: if !writer.dateText(text(at: column)) { throw .corrupt("date") }
    case .objectID: if !writer.objectIDText(text(at: column)) { throw .corrupt("objectId") }
    case .uuid: if !writer.uuidText(text(at: column)) { throw .corrupt("uuid") }
    case .decimal128: if !writer.decimal128Text(text(at: column)) { throw .corrupt("decimal128") }
    case .data: writer.data(blob(at: column))
    case .mixed: writer.value(try session.value(of: try mixed(at: column)))
    }
  }
}

extension ValueWriter {
  /// Writes the text of a column. Bytes that are no UTF-8, which only others can have put there, become U+FFFD.
  @inline(__always)
  mutating func string(at column: Int32, of row: Statement) {
    let text = row.text(at: column)
    if text.isUTF8 { string(text) } else { string(String(decoding: text, as: UTF8.self)) }
  }

  /// Writes the text of a column as the name of the value that follows; other bytes as ``string(at:of:)`` does.
  @inline(__always)
  mutating func key(at column: Int32, of row: Statement) {
    let text = row.text(at: column)
    if text.isUTF8 { key(text) } else { key(String(decoding: text, as: UTF8.self)) }
  }
}

extension Statement {
  /// A value as SQLite has it.
  func rawValue(at column: Int32) -> Mixed {
    switch storageClass(at: column) {
    case .null: .null
    case .integer: .int(int64(at: column))
    case .real: .double(double(at: column))
    case .text: .string(string(at: column))
    case .blob: .data(bytes(at: column))
    }
  }

  /// Binds a value as SQLite had it.
  func bind(raw value: Mixed, at index: Int32) {
    switch value {
    case .data(let bytes): bind(blob: bytes, at: index)
    case .null, .bool, .int, .float, .double, .decimal128, .string, .date, .objectID, .uuid, .link, .list,
      .dictionary:
      bind(value, as: .mixed, at: index)
    }
  }
}
