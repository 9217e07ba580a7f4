import BSON
import Model
import SQLite

extension Statement {
  /// Writes the value of a column of type `type`, straight from SQLite's memory.
  @inline(__always)
  func write<Writer: ValueWriter>(
    _ type: ElementType, at column: Int32, to writer: inout Writer, in session: ReadSession
  ) throws(StorageError) {
    if isNull(at: column) {
      writer.null()
      return
    }
    switch type {
    case .int, .object: writer.int64(int64(at: column))
    case .string: writer.string(text(at: column))
    case .bool: writer.bool(int64(at: column) != 0)
    case .double: writer.double(storageClass(at: column) == .text ? .nan : double(at: column))
    case .float: writer.float(storageClass(at: column) == .text ? .nan : Float(double(at: column)))
    case .date: writer.dateText(text(at: column))
    case .objectID: writer.objectIDText(text(at: column))
    case .uuid: writer.uuidText(text(at: column))
    case .decimal128: writer.decimal128Text(text(at: column))
    case .data: writer.data(blob(at: column))
    case .mixed: writer.value(try session.value(of: try mixed(at: column)))
    }
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
