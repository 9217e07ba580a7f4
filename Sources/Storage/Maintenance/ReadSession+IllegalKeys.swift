import GatehouseModel
import GatehouseSQLite

extension ReadSession {
  /// How many keys of a map, or of dictionaries in mixed values, have a zero byte in them: no name of BSON's does.
  func illegalKeyCount(
    of layout: PropertyLayout, _ rows: String, _ column: String
  ) throws(StorageError) -> Int64 {
    var illegal: Int64 = 0
    if case .map = layout.property.type {
      let keys = try prepare(
        "SELECT count(*) FROM \(layout.child) WHERE instr(CAST(key AS BLOB), x'00') > 0")
      illegal += try integer(keys) ?? 0
    }
    guard case .mixed? = layout.element else { return illegal }
    let values = try prepare("SELECT \(column) FROM \(rows) WHERE typeof(\(column)) = 'blob'")
    while try step(values) { illegal += MixedCoding.decode(values.blob(at: 0))?.illegalKeyCount ?? 0 }
    return illegal
  }
}

extension Mixed {
  fileprivate var illegalKeyCount: Int64 {
    switch self {
    case .list(let values): values.reduce(0) { $0 + $1.illegalKeyCount }
    case .dictionary(let entries):
      entries.reduce(0) { $0 + ($1.key.utf8.contains(0) ? 1 : 0) + $1.value.illegalKeyCount }
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .link: 0
    }
  }
}
