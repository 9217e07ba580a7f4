import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Rows of the change log, as the file has them.
struct StoredRows: LogRows {
  private let session: ReadSession
  private let row: Statement
  private let images: ImageReader
  private(set) var position: LogPosition
  private(set) var objectType = ""
  /// Bytes of images of the change that was read last.
  private(set) var size = 0
  /// The time of the commit that was read last.
  private var time: (version: Int64, date: Date)?

  /// The rows of a statement that gives the columns that the other initializer asks for.
  init(_ row: Statement, after start: LogPosition, in session: ReadSession, _ images: ImageReader) {
    self.row = row
    self.session = session
    self.images = images
    position = start
  }

  /// Begins to read rows; the caller resets them when it has read what it needs.
  init(
    after start: LogPosition, through last: Int64, in session: ReadSession, _ images: ImageReader
  ) throws(StorageError) {
    self.session = session
    self.images = images
    position = start
    row = try session.cached(LogStatements.changes)
    row.bind(start.version, at: 1)
    row.bind(start.ordinal, at: 2)
    row.bind(last, at: 3)
  }

  func reset() { row.reset() }

  mutating func step() throws(StorageError) -> Bool {
    guard try session.step(row) else { return false }
    let next = LogPosition(version: row.int64(at: 0), ordinal: row.int64(at: 1))
    // A damaged file need not have the order on which those rely who follow the log.
    guard next > position else { throw .corrupt("order of the log") }
    position = next
    objectType = row.string(at: 2)
    return true
  }

  mutating func change() throws(StorageError) -> LoggedChange {
    guard let stored = StoredOperation(rawValue: row.int64(at: 4)) else {
      throw .corrupt("operation in the log")
    }
    let operation = stored.operation
    size = row.blob(at: 5).count + row.blob(at: 6).count + row.blob(at: 7).count
    let after = operation == .insert && row.isNull(at: 6) ? try madeImage() : try image(6)
    return LoggedChange(
      position: position, time: try date(), objectType: objectType,
      key: ObjectKey(row.int64(at: 8)), id: try row.mixed(at: 3), operation: operation,
      before: try image(5), after: after, elements: try elements(), isReplacement: stored.isReplacement)
  }

  /// Returns the values of an object that has never changed since it was made: the log leaves them to its row.
  private mutating func madeImage() throws(StorageError) -> Mixed? {
    // A class that is gone has no rows.
    guard session.catalog.schema[objectType] != nil else { return nil }
    let table = try session.catalog.index(of: objectType)
    let image = try images.image(of: RowAddress(table: table, key: row.int64(at: 8)))
    let value = try ImageReader.value(of: image)
    guard value != .null else { return nil }
    size += image.count
    return value
  }

  private mutating func date() throws(StorageError) -> Date {
    if let time, time.version == position.version { return time.date }
    guard let date = Date(storedText: row.text(at: 9)) else { throw .corrupt("change without commit") }
    time = (position.version, date)
    return date
  }

  private func elements() throws(StorageError) -> [CollectionChange] {
    row.isNull(at: 7) ? [] : try LoggedChange.elements(of: row.blob(at: 7))
  }

  private func image(_ column: Int32) throws(StorageError) -> Mixed? {
    row.isNull(at: column) ? nil : try LoggedChange.image(of: row.blob(at: column))
  }
}
