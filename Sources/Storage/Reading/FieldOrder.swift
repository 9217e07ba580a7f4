public import GatehouseModel
import GatehouseSQLite

/// The objects of a schemaless class in the order of an index: those without a value first, then by value and by key.
///
/// An index has it where its order is that of the values: they are of one type, of which both query languages have the same order, and neither
/// lists nor links. All of it is read from one state of the file (``Reader/reading(_:)``).
public struct FieldOrder {
  private let objectType: String
  private let isAscending: Bool
  private let entries: FieldEntries
  /// The objects without a value that are still to come; nil: they have not been counted.
  private var missing: Int?
  /// The last object without a value.
  private var lastMissing = Int64.min
  /// The place of the last entry, and whose it is; nil: none has been read.
  private var last: (place: [UInt8], owner: Int64)?
  /// Whether there are no more entries.
  private var hasEnded = false

  /// The order by an index of the class on that path; nil: there is no such index, or no such order.
  public init?(
    of objectType: String, by path: [ExactText], isAscending: Bool, in reader: Reader
  ) throws(StorageError) {
    self.objectType = objectType
    self.isAscending = isAscending
    let found = try reader.currentSnapshot { _ throws(StorageError) -> FieldEntries? in
      let table = try reader.session.catalog.table(objectType)
      guard !path.isEmpty, let index = table.objectType.indexes.first(where: { $0.path == path }) else {
        return nil
      }
      return FieldEntries(table, index)
    }
    guard let found else { return nil }
    entries = found
    let first = try FieldOrder.end(found.first, in: reader)
    let last = try FieldOrder.end(found.last, in: reader)
    guard let first, let last else {
      hasEnded = true
      return
    }
    if first.first != last.first || !FieldKey.hasOneOrder(first) { return nil }
  }

  /// The place of the first entry of a statement; nil: there is none.
  private static func end(_ sql: String, in reader: Reader) throws(StorageError) -> [UInt8]? {
    try reader.currentSnapshot { _ throws(StorageError) -> [UInt8]? in
      let statement = try reader.session.recent(sql)
      defer { statement.reset() }
      return try reader.session.step(statement) ? Array(statement.blob(at: 0)) : nil
    }
  }

  /// Returns the keys of the next objects, none at the end: as many as `limit`, or more where a value may have the place of another one
  /// that comes before it: these are not parted, and not in order.
  public mutating func keys(atMost limit: Int, in reader: Reader) throws(StorageError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try reader.currentSnapshot { _ throws(StorageError) in
      if isAscending { try appendMissing(to: &keys, atMost: limit, reader.session) }
      if keys.count < limit { try append(to: &keys, atMost: limit, reader.session) }
      if !isAscending, keys.count < limit { try appendMissing(to: &keys, atMost: limit, reader.session) }
    }
    return keys
  }

  private mutating func append(
    to keys: inout [ObjectKey], atMost limit: Int, _ session: ReadSession
  ) throws(StorageError) {
    if hasEnded { return }
    let statement = try session.recent(isAscending ? entries.ascending : entries.descending)
    defer { statement.reset() }
    statement.bind(blob: last?.place ?? (isAscending ? FieldKey.lowest : FieldKey.highest), at: 1)
    statement.bind(last?.owner ?? .min, at: 2)
    while try session.step(statement) {
      let place = Array(statement.blob(at: 1))
      if keys.count >= limit, last?.place != place || FieldKey.isExact(place) { return }
      let owner = statement.int64(at: 0)
      keys.append(ObjectKey(owner))
      last = (place, owner)
    }
    hasEnded = true
  }

  private mutating func appendMissing(
    to keys: inout [ObjectKey], atMost limit: Int, _ session: ReadSession
  ) throws(StorageError) {
    var rest = 0
    if let missing {
      rest = missing
    } else {
      let objects = try AccessChooser.count(of: objectType, in: session)
      rest = objects - Int(try session.integer(try session.recent(entries.count)) ?? 0)
    }
    defer { missing = rest }
    guard rest > 0 else { return }
    let statement = try session.recent(entries.missing)
    defer { statement.reset() }
    statement.bind(lastMissing, at: 1)
    while rest > 0, keys.count < limit, try session.step(statement) {
      lastMissing = statement.int64(at: 0)
      keys.append(ObjectKey(lastMissing))
      rest -= 1
    }
  }
}
