import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// How the value of a property stands in its column; the table in `Storage.md` says it in words.
enum ColumnCoding {
  /// The declaration of a column that holds values of that type.
  static func declaration(of type: ElementType) -> String {
    switch type {
    case .bool, .int, .object: "INTEGER"
    case .float, .double: "REAL"
    case .string, .date, .objectID, .uuid: "TEXT"
    case .decimal128: "TEXT COLLATE decimal128"
    case .data: "BLOB"
    case .mixed: ""
    }
  }
}

extension ColumnCoding {
  /// Returns SQL that holds for each value that a column of a type may have; nil: any value.
  static func test(of type: ElementType, _ column: String) -> String? {
    switch type {
    case .bool: "typeof(\(column)) = 'integer' AND \(column) IN (0, 1)"
    case .int, .object: "typeof(\(column)) = 'integer'"
    case .float, .double: "typeof(\(column)) = 'real' OR \(column) IS 'NaN'"
    case .string, .date, .decimal128, .objectID, .uuid: "typeof(\(column)) = 'text'"
    case .data: "typeof(\(column)) = 'blob'"
    case .mixed: nil
    }
  }
}

extension ElementType {
  /// Whether its values are texts that are read, of which some mean nothing.
  var isSpelt: Bool {
    switch self {
    case .date, .decimal128, .objectID, .uuid: true
    case .bool, .int, .float, .double, .string, .data, .mixed, .object: false
    }
  }
}

extension Statement {
  /// Binds a value as a column of type `type` holds it. Links are bound as their object keys.
  func bind(_ value: Mixed, as type: ElementType, at index: Int32) {
    bind(value, isMixed: type == .mixed, at: index)
  }

  /// Binds a value as a column of mixed values holds it, or as a column of the value's own type does.
  func bind(_ value: Mixed, isMixed: Bool, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .int(let value): bind(value, at: index)
    case .string(let value): bind(value, at: index)
    case .double(let value) where !value.isNaN: bind(value, at: index)
    case .bool, .float, .double, .decimal128, .data, .date, .objectID, .uuid, .link, .list, .dictionary:
      if isMixed {
        bindTagged(value, at: index)
      } else {
        bindTyped(value, at: index)
      }
    }
  }

  private func bindTyped(_ value: Mixed, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .bool(let value): bind(Int64(value ? 1 : 0), at: index)
    case .int(let value): bind(value, at: index)
    case .float(let value): value.isNaN ? bind("NaN", at: index) : bind(Double(value), at: index)
    case .double(let value): value.isNaN ? bind("NaN", at: index) : bind(value, at: index)
    case .decimal128(let value): bind(text: value, at: index)
    case .string(let value): bind(value, at: index)
    case .data(let value): bind(blob: value, at: index)
    case .date(let value): bindText(at: index) { value.appendStoredText(to: &$0) }
    case .objectID(let value): bind(text: value, at: index)
    case .uuid(let value): bind(text: value, at: index)
    case .link(let link): bind(link.key.value, at: index)
    // Only mixed properties hold these.
    case .list, .dictionary: bindTagged(value, at: index)
    }
  }

  private func bind(text value: some TextRepresentable, at index: Int32) {
    bindText(at: index) { value.appendText(to: &$0) }
  }

  private func bindText(at index: Int32, _ write: (inout [UInt8]) -> Void) {
    var text: [UInt8] = []
    text.reserveCapacity(40)
    write(&text)
    text.withUnsafeBufferPointer { bind(text: $0, at: index) }
  }

  private func bindTagged(_ value: Mixed, at index: Int32) {
    var bytes: [UInt8] = []
    MixedCoding.append(value, to: &bytes)
    bind(blob: bytes, at: index)
  }

  /// The value of a mixed property's column.
  func mixed(at column: Int32) throws(StorageError) -> Mixed {
    switch storageClass(at: column) {
    case .null: return .null
    case .integer: return .int(int64(at: column))
    case .real: return .double(double(at: column))
    case .text: return .string(string(at: column))
    case .blob:
      guard let value = MixedCoding.decode(blob(at: column)) else { throw .corrupt("mixed value") }
      return value
    }
  }

  /// The value of a column of type `type`; a link or embedded object as its object key.
  func value(as type: ElementType, at column: Int32) throws(StorageError) -> Mixed {
    if isNull(at: column) { return .null }
    switch type {
    case .bool: return .bool(int64(at: column) != 0)
    case .int: return .int(int64(at: column))
    case .float: return .float(storageClass(at: column) == .text ? .nan : Float(double(at: column)))
    case .double: return .double(storageClass(at: column) == .text ? .nan : double(at: column))
    case .string: return .string(string(at: column))
    case .data: return .data(bytes(at: column))
    case .mixed: return try mixed(at: column)
    case .object(let target):
      return .link(ObjectLink(objectType: target, key: ObjectKey(int64(at: column))))
    case .date:
      guard let value = Date(storedText: text(at: column)) else { throw .corrupt("date") }
      return .date(value)
    case .decimal128:
      guard let value = Decimal128(string(at: column)) else { throw .corrupt("decimal128") }
      return .decimal128(value)
    case .objectID:
      guard let value = ObjectID(string(at: column)) else { throw .corrupt("objectId") }
      return .objectID(value)
    case .uuid:
      guard let value = UUID(string(at: column)) else { throw .corrupt("uuid") }
      return .uuid(value)
    }
  }
}
