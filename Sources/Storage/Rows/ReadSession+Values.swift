import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

extension ReadSession {
  /// Returns the primary key of the object, or its object key, by which clients identify it; null where there is none.
  func identifier(of link: ObjectLink) throws(StorageError) -> Mixed {
    let table = try catalog.table(link.objectType)
    let statement = try cached(RowStatements.identifier(in: table))
    statement.bind(link.key.value, at: 1)
    defer { statement.reset() }
    return try step(statement) ? statement.value(as: table.identifierType, at: 0) : .null
  }

  /// Like a BSON value, typed links as `{"$ref":class,"$id":primary key}`.
  func value(of mixed: Mixed) throws(StorageError) -> Value {
    switch mixed {
    case .link(let link):
      let id = try value(of: identifier(of: link))
      return .document(["$ref": .string(link.objectType), "$id": id])
    case .list(let values):
      var elements: [Value] = []
      for element in values { elements.append(try value(of: element)) }
      return .array(elements)
    case .dictionary(let entries):
      if let value = entries.wrappedValue { return value }
      var document = Document()
      for entry in entries { document.append(entry.key, try value(of: entry.value)) }
      return .document(document)
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .int64(value)
    case .float(let value): return .double(Double(value))
    case .double(let value): return .double(value)
    case .decimal128(let value): return .decimal128(value)
    case .string(let value): return .string(value)
    case .data(let value): return .binary(Binary(bytes: value))
    case .date(let value): return .date(value)
    case .objectID(let value): return .objectID(value)
    case .uuid(let value): return .uuid(value)
    }
  }
}
