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
  /// For each class, how many of the objects of the last pages were in the cache: of ``whole``.
  private var shares: [Int]

  private static let whole = 1 << 16

  /// `budget` is in bytes.
  init(_ session: ReadSession, budget: Int) {
    self.session = session
    cache = ObjectCache(budget: budget)
    classes = Array(repeating: nil, count: session.catalog.tables.count)
    shares = Array(repeating: 0, count: session.catalog.tables.count)
  }

  /// Begins anew with another schema.
  func renew(_ session: ReadSession, budget: Int) {
    self.session = session
    cache = ObjectCache(budget: budget)
    classes = Array(repeating: nil, count: session.catalog.tables.count)
    shares = Array(repeating: 0, count: session.catalog.tables.count)
  }

  /// Begins a request. `changes` must have been read before any snapshot of the file is taken.
  func begin(_ changes: [Int64]) {
    self.changes = changes
  }

  /// Whether most objects of pages are in the cache, so that a page had better be only keys.
  func hasMost(of table: Int) -> Bool {
    shares[table] > Self.whole / 2
  }

  /// Appends the object that clients identify by `id`; returns its version, or nil where there is none.
  func append(_ table: Int, id: Mixed, to bytes: inout [UInt8]) throws(StorageError) -> Int64? {
    guard let entry = cache.find(table, id: id) else { return try read(table, id, to: &bytes) }
    if entry.checked != changes[table] {
      guard let found = try prepared(table).lookup.find(id) else { return nil }
      guard found.key == entry.key, found.version == entry.version else {
        return try read(table, id, to: &bytes)
      }
      cache.confirm(entry, after: changes[table])
    }
    cache.append(entry, to: &bytes)
    return entry.version
  }

  /// Appends the object with that key, which exists in the snapshot that is open.
  func append(_ table: Int, key: Int64, to bytes: inout [UInt8]) throws(StorageError) {
    if let entry = cache.find(table, key: key), try isCurrent(entry, table) {
      note(table, isFound: true)
      return cache.append(entry, to: &bytes)
    }
    note(table, isFound: false)
    let start = bytes.count
    guard let version = try prepared(table).reader.append(key, to: &bytes) else { return }
    add(table, key: key, version: version, bytes[start...])
  }

  /// Takes an object that a page wrote from its row, if it is not there yet.
  func take(_ table: Int, key: Int64, version: Int64, _ bytes: ArraySlice<UInt8>) {
    let isFound = cache.find(table, key: key)?.version == version
    note(table, isFound: isFound)
    if !isFound { add(table, key: key, version: version, bytes) }
  }

  private func isCurrent(_ entry: ObjectCache.Entry, _ table: Int) throws(StorageError) -> Bool {
    if entry.checked == changes[table] { return true }
    let statement = try prepared(table).version
    statement.bind(entry.key, at: 1)
    guard try session.integer(statement) == entry.version else { return false }
    cache.confirm(entry, after: changes[table])
    return true
  }

  private func note(_ table: Int, isFound: Bool) {
    shares[table] += ((isFound ? Self.whole : 0) - shares[table]) >> 8
  }

  private func add(
    _ table: Int, key: Int64, id: Mixed? = nil, version: Int64, _ bytes: ArraySlice<UInt8>
  ) {
    bytes.withUnsafeBytes {
      cache.add(table, key: key, id: id, version: version, checked: changes[table], $0)
    }
  }

  private func read(_ table: Int, _ id: Mixed, to bytes: inout [UInt8]) throws(StorageError) -> Int64? {
    let start = bytes.count
    guard let found = try prepared(table).lookup.write(id, as: .json, into: &bytes) else { return nil }
    add(table, key: found.key, id: id, version: found.version, bytes[start...])
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
