import GatehouseModel
import GatehouseSQLite

/// Makes log rows of what was captured, and stamps the objects with the transaction's version. Writes `_changes` through
/// ``ChangeLog``, and the `_version` of changed objects.
final class ChangeLogger {
  private let statements: WriteStatements
  private let objects: ObjectStore
  private let images: ImageReader
  private let capture: ChangeCapture
  private let log: ChangeLog
  private let appendOnly: AppendOnlyTables
  private let context: WriteContext
  private let usage: UsageCounters
  private var sizes: ObjectSizes
  private let sizeLimit: Int?
  /// The place of the next change in the log of the transaction.
  private var ordinal: Int64 = 0
  /// The bytes that the transaction has logged of changed objects: of what they became.
  private(set) var newBytes = 0
  /// Throws where an object may not be as it is now, just before that is logged.
  var approve: (ChangeRecorder.Entry) throws(StorageError) -> Void = { _ in }
  /// The classes of objects changed since the last commit.
  private var changedTables: Set<Int> = []

  init(
    _ base: WriteBase, capture: ChangeCapture, images: ImageReader, objects: ObjectStore,
    usage: UsageCounters, sizeLimit: Int?
  ) {
    statements = base.statements
    self.usage = usage
    self.objects = objects
    self.images = images
    self.capture = capture
    log = base.log
    appendOnly = base.appendOnly
    context = base.context
    self.sizeLimit = sizeLimit
    sizes = ObjectSizes(limit: sizeLimit)
  }

  /// Whether the log has changes of the transaction so far.
  var hasChanged: Bool { ordinal > 0 }

  /// Begins a transaction.
  func begin() {
    ordinal = 0
    newBytes = 0
  }

  /// Forgets what was learnt from what has been written: it has been taken back.
  func restore() { sizes.forget() }

  /// Returns the classes of objects changed since this was last asked.
  func takeChangedTables() -> Set<Int> {
    defer { changedTables = [] }
    return changedTables
  }

  /// Logs the net effect of what was captured, and returns the objects that did change.
  func logAll() throws(OperationError) -> Set<RowAddress> {
    let entries = capture.entries
    var changed = Set<RowAddress>(minimumCapacity: entries.count)
    for case let entry? in entries {
      do throws(StorageError) {
        guard try log(entry) else { continue }
      } catch {
        throw OperationError(operation: entry.operation, reason: error)
      }
      changed.insert(entry.row)
    }
    return changed
  }

  /// Logs what happened to an object; false: nothing did.
  @discardableResult
  func log(_ entry: ChangeRecorder.Entry) throws(StorageError) -> Bool {
    try context.checkDeadline()
    guard let change = try change(entry) else { return false }
    try checkSize(of: entry, change)
    try approve(entry)
    newBytes += (change.after?.count ?? 0) + (change.elements?.count ?? 0)
    try append(change, of: entry.row)
    try count(entry, change)
    return true
  }

  private func count(_ entry: ChangeRecorder.Entry, _ change: LogRow) throws(StorageError) {
    guard entry.kind != .deleted else {
      return try usage.didChange(entry.row, by: entry.operation, size: nil)
    }
    try usage.didChange(entry.row, by: entry.operation, entry.draft) { [images] () throws(StorageError) in
      try entry.kind == .created ? change.after?.count ?? 0 : images.image(of: entry.row).count
    }
  }

  /// Logs an object that was added without being captured. Where its class is append-only, the file has its values in
  /// its row only; those who follow the log get them all the same.
  func logAddition(_ row: RowAddress, id: Mixed, _ draft: ObjectDraft) throws(StorageError) {
    let leavesValues = appendOnly.contains(row.table)
    let image = leavesValues && log.piece == nil ? nil : capture.drafts.image(of: draft, row)
    let change = LogRow(
      ordinal: ordinal, objectType: statements.className(of: row), key: row.key, id: id, operation: .insert,
      before: nil, after: image, elements: nil)
    try append(change, of: row, leavesValues: leavesValues)
  }

  private func append(
    _ change: LogRow, of row: RowAddress, leavesValues: Bool = false
  ) throws(StorageError) {
    try log.append(change, version: context.version, leavesValues: leavesValues)
    ordinal += 1
    changedTables.insert(row.table)
  }

  // Rows of the log

  /// Returns what the log has of an entry, at the next place; nil: nothing has changed.
  private func change(_ entry: ChangeRecorder.Entry) throws(StorageError) -> LogRow? {
    switch entry.kind {
    case .created: return row(entry, .insert, after: try capture.newImage(entry, isKept: false))
    case .deleted: return row(entry, .delete, before: ChangeLog.joined(entry.before.map(\.image)))
    case .updated: return try update(entry)
    }
  }

  private func update(_ entry: ChangeRecorder.Entry) throws(StorageError) -> LogRow? {
    var before: [[UInt8]] = []
    var after: [[UInt8]] = []
    for item in entry.before {
      let image = try images.image(of: item.property, in: entry.row)
      if entry.ignoresEqual && image == item.image { continue }
      before.append(item.image)
      after.append(image)
    }
    let elements = CollectionChange.encode(collectionChanges(entry))
    guard !after.isEmpty || elements != nil else { return nil }
    try objects.touch(entry.row)
    return row(
      entry, .update, before: ChangeLog.joined(before), after: ChangeLog.joined(after), elements: elements)
  }

  private func row(
    _ entry: ChangeRecorder.Entry, _ operation: LoggedChange.Operation, before: [UInt8]? = nil,
    after: [UInt8]? = nil, elements: [UInt8]? = nil
  ) -> LogRow {
    LogRow(
      ordinal: ordinal, objectType: statements.className(of: entry.row), key: entry.row.key, id: entry.id,
      operation: operation, before: before, after: after, elements: elements,
      isReplacement: operation == .update && entry.isReplaced)
  }

  private func collectionChanges(_ entry: ChangeRecorder.Entry) -> [CollectionChange] {
    entry.elements.compactMap { item in
      let elements = item.record.elements
      guard !elements.isEmpty else { return nil }
      let layout = statements.layout(of: item.property, in: entry.row)
      return CollectionChange(property: layout.property.storedName, elements: elements)
    }
  }

  // Sizes of objects

  /// Throws ``StorageError/objectTooLarge(objectType:limit:)`` where an object was made or has grown, and is too large.
  private func checkSize(of entry: ChangeRecorder.Entry, _ change: LogRow) throws(StorageError) {
    let row = entry.row
    guard !appendOnly.contains(row.table) else { return }
    let isFine =
      switch change.operation {
      case .insert: sizes.admits(change.after?.count ?? 0)
      case .update:
        try sizes.admits(row, growth: growth(entry, change)) { () throws(StorageError) in
          try images.image(of: row).count
        }
      case .delete, .schema: true
      }
    guard isFine else {
      throw .objectTooLarge(objectType: statements.className(of: row), limit: sizeLimit ?? .max)
    }
  }

  /// Returns the bytes that an object has become larger by, at most.
  private func growth(_ entry: ChangeRecorder.Entry, _ change: LogRow) -> Int {
    let hasNewElements = entry.elements.contains { $0.record.elements.contains { $0.after != nil } }
    return (change.after?.count ?? 0) - (change.before?.count ?? 0)
      + (hasNewElements ? change.elements?.count ?? 0 : 0)
  }
}
