import Model
import Query
import SQLite

/// Gives the objects of one reader as plain JSON with all stored properties, from the cache where it can.
final class ObjectSource {
  /// What one class needs, prepared when it is first needed.
  private struct Class {
    let lookup: ObjectLookup
    let reader: ObjectReader
    let version: Statement
  }

  private var cache: ObjectCache
  private var session: ReadSession
  private var classes: [Class?]
  /// For each class, the commit that last changed an object of it, as of the beginning of the request.
  private var changes: [Int64] = []

  /// `budget` is in bytes.
  init(_ session: ReadSession, budget: Int) {
    self.session = session
    cache = ObjectCache(budget: budget)
    classes = Array(repeating: nil, count: session.catalog.tables.count)
  }

  /// Begins anew with another schema.
  func renew(_ session: ReadSession, budget: Int) {
    self.session = session
    cache = ObjectCache(budget: budget)
    classes = Array(repeating: nil, count: session.catalog.tables.count)
  }

  /// Begins a request. `changes` must have been read before any snapshot of the file is taken.
  func begin(_ changes: [Int64]) {
    self.changes = changes
  }

  /// Appends the object that clients identify by `id`; returns its version, or nil where there is none.
  func append(_ table: Int, id: Mixed, to bytes: inout [UInt8]) throws(StorageError) -> Int64? {
    if var entry = cache[table, id: id] {
      if entry.checked != changes[table] {
        guard let found = try prepared(table).lookup.find(id) else { return nil }
        guard found.key == entry.key, found.version == entry.version else {
          return try read(table, id, to: &bytes)
        }
        entry.checked = changes[table]
        cache[table, id: id] = entry
      }
      bytes.append(contentsOf: entry.bytes)
      return entry.version
    }
    return try read(table, id, to: &bytes)
  }

  /// Appends the object with that key, which exists in the snapshot that is open.
  func append(_ table: Int, key: Int64, to bytes: inout [UInt8]) throws(StorageError) {
    if var entry = cache[table, key: key] {
      if entry.checked == changes[table] {
        bytes.append(contentsOf: entry.bytes)
        return
      }
      let statement = try prepared(table).version
      statement.bind(key, at: 1)
      if try session.integer(statement) == entry.version {
        entry.checked = changes[table]
        cache[table, key: key] = entry
        bytes.append(contentsOf: entry.bytes)
        return
      }
    }
    let start = bytes.count
    guard let version = try prepared(table).reader.append(key, to: &bytes) else { return }
    cache[table, key: key] = ObjectCache.Entry(
      key: key, version: version, checked: changes[table], bytes: Array(bytes[start...]))
  }

  private func read(_ table: Int, _ id: Mixed, to bytes: inout [UInt8]) throws(StorageError) -> Int64? {
    let start = bytes.count
    guard let found = try prepared(table).lookup.write(id, as: .json, into: &bytes) else { return nil }
    cache[table, id: id] = ObjectCache.Entry(
      key: found.key, version: found.version, checked: changes[table], bytes: Array(bytes[start...]))
    return found.version
  }

  private func prepared(_ index: Int) throws(StorageError) -> Class {
    if let prepared = classes[index] { return prepared }
    let table = session.catalog.tables[index]
    let projection = Projection.all(of: table.objectType)
    let prepared = Class(
      lookup: try ObjectLookup(table, projection: projection, in: session),
      reader: ObjectReader(table, projection: projection, in: session),
      version: try session.prepare("SELECT _version FROM \(table.table) WHERE _key = ?1"))
    classes[index] = prepared
    return prepared
  }
}
