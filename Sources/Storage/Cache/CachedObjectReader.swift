import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Gives one reader's objects as plain JSON with all stored properties, from the cache where it can.
final class CachedObjectReader {
  /// The readers and statement of one class, prepared when they are first needed.
  private struct Class {
    let lookup: ObjectLookup
    let reader: ObjectReader
    let version: Statement
  }

  private let cache: ObjectCache
  private let session: ReadSession
  private var classes: [Class?]
  /// For each class, the commit that last changed an object of it, as of the state that is read from.
  private var changes: [Int64] = []
  /// For each class, the exponential moving average of cache hits among the objects of the last pages, as a part of ``whole``;
  /// each object counts 1/256.
  private var hitRates: [Int]
  /// The identifier that is looked for.
  private var identifier: [UInt8] = []

  private static let whole = 1 << 16
  /// How many objects ahead of the one that is appended the processor fetches: copying one takes about as long as
  /// memory takes to answer.
  private static let lead = 2

  init(_ session: ReadSession, _ cache: ObjectCache) {
    self.session = session
    self.cache = cache
    precondition(session.catalog.tables.count < 1 << 20, "a class has a number of its own in the cache")
    classes = Array(repeating: nil, count: session.catalog.tables.count)
    hitRates = Array(repeating: 0, count: session.catalog.tables.count)
  }

  /// Starts serving reads of a state of the file. `changes[table]` is the version of the last commit that touched the class:
  /// a cached object that was checked at another one has to be looked up. Without an open read transaction the file may be
  /// of a later state, and each object is looked at by itself.
  func begin(_ changes: [Int64]) {
    precondition(changes.count == classes.count, "each class has the version of its last change")
    self.changes = changes
  }

  /// Whether the exponential moving average of cache hits for the class is above one half. Above it, selecting keys and
  /// copying cached objects is faster than reading rows.
  func hasMost(of table: Int) -> Bool {
    hitRates[table] > Self.whole / 2
  }

  /// Appends the object that clients identify by `id` if that takes no look at the file; returns its version.
  func appendCached(_ table: Int, id: Mixed, to bytes: inout [UInt8]) -> Int64? {
    encode(id)
    guard let key = cache.key(name(table), identifier),
      case .current(let version) = cache.append(name(table), key, asOf: changes[table], to: &bytes)
    else { return nil }
    return version
  }

  /// Appends the object that clients identify by `id`; returns its version, or nil where there is none.
  func append(_ table: Int, id: Mixed, to bytes: inout [UInt8]) throws(StorageError) -> Int64? {
    encode(id)
    if let key = cache.key(name(table), identifier), let version = try find(table, key, to: &bytes) {
      return version
    }
    let start = bytes.count
    guard let found = try prepared(table).lookup.write(id, as: .json, into: &bytes) else { return nil }
    add(bytes[start...], of: table, key: found.key, version: found.version)
    cache.add(name(table), found.key, identifier: identifier)
    return found.version
  }

  private func encode(_ id: Mixed) {
    identifier.removeAll(keepingCapacity: true)
    MixedCoding.append(id, to: &identifier)
  }

  /// Appends the objects with those keys, which exist in the snapshot that is open, as one array of JSON, which ends early
  /// once it has `room` bytes; returns how many there are in it.
  func appendArray(
    _ table: Int, keys: [Int64], atMost room: Int, to bytes: inout [UInt8]
  ) throws(StorageError) -> Int {
    let (name, start) = (name(table), bytes.count)
    var output = OutputWork(session, from: start)
    var count = 0
    for key in keys { cache.approach(name, key) }
    for key in keys.prefix(Self.lead) { cache.prefetch(name, key) }
    bytes.append(UInt8(ascii: "["))
    for (index, key) in keys.enumerated() {
      if index + Self.lead < keys.count { cache.prefetch(name, keys[index + Self.lead]) }
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try append(table, key: key, to: &bytes)
      count += 1
      try output.note(bytes.count)
      if bytes.count - start >= room { break }
    }
    bytes.append(UInt8(ascii: "]"))
    return count
  }

  /// Appends the object with that key, which exists in the snapshot that is open.
  private func append(_ table: Int, key: Int64, to bytes: inout [UInt8]) throws(StorageError) {
    let isFound = try find(table, key, to: &bytes) != nil
    note(table, isFound: isFound)
    if isFound { return }
    let start = bytes.count
    guard let version = try prepared(table).reader.append(key, to: &bytes) else { return }
    add(bytes[start...], of: table, key: key, version: version)
  }

  /// Takes an object that a page wrote from its row, if it is not there yet.
  func take(_ table: Int, key: Int64, version: Int64, _ bytes: ArraySlice<UInt8>) {
    note(table, isFound: add(bytes, of: table, key: key, version: version))
  }

  /// Appends the object from the cache and returns its version; nil where the cache does not have it as it is now.
  private func find(_ table: Int, _ key: Int64, to bytes: inout [UInt8]) throws(StorageError) -> Int64? {
    let (name, change) = (name(table), changes[table])
    switch cache.append(name, key, asOf: change, to: &bytes) {
    case .unknown: return nil
    case .current(let version): return version
    case .unsure(let version):
      let statement = try prepared(table).version
      statement.bind(key, at: 1)
      guard try session.integer(statement) == version else { return nil }
      return cache.confirm(name, key, version: version, asOf: change, to: &bytes) ? version : nil
    }
  }

  @discardableResult
  private func add(_ bytes: ArraySlice<UInt8>, of table: Int, key: Int64, version: Int64) -> Bool {
    bytes.withUnsafeBytes { cache.add($0, of: name(table), key, version: version, asOf: changes[table]) }
  }

  /// Returns the number of a class in the cache, which is shared by all schemas.
  private func name(_ table: Int) -> Int {
    Int(truncatingIfNeeded: session.catalog.generation) << 20 | table
  }

  private func note(_ table: Int, isFound: Bool) {
    hitRates[table] += ((isFound ? Self.whole : 0) - hitRates[table]) >> 8
  }

  private func prepared(_ index: Int) throws(StorageError) -> Class {
    if let prepared = classes[index] { return prepared }
    let table = session.catalog.tables[index]
    let projection = Projection.all(of: table.objectType)
    let prepared = Class(
      lookup: try ObjectLookup(table, projection: projection, in: session),
      reader: ObjectReader(table, projection: projection, in: session),
      version: try session.prepare(RowStatements.version(in: table)))
    classes[index] = prepared
    return prepared
  }
}
