import GatehouseModel
import GatehouseSQLite

/// Captures what a transaction is about to change, so that its net effect can be logged when it ends. Reads tables, and
/// owns none; of `_changes` it completes the rows of append-only classes.
///
/// Each change is announced before it is made: then the values before it are still in the file.
final class ChangeCapture {
  private let statements: WriteStatements
  private let images: ImageReader
  private let links: LinkIndex
  private let log: ChangeLog
  private let appendOnly: AppendOnlyTables
  private let context: WriteContext
  private let locator: Locator
  private let usage: UsageCounters
  /// Writes the images of new objects.
  let drafts: DraftImages
  private var recorder = ChangeRecorder()
  /// The embedded objects that a property held before its first change, where somebody wants to know; nil: nobody
  /// does.
  private var embeddedBefore: [EmbeddedPlace: [Int64]]?

  init(_ base: WriteBase, images: ImageReader, links: LinkIndex, usage: UsageCounters) {
    statements = base.statements
    log = base.log
    appendOnly = base.appendOnly
    context = base.context
    self.images = images
    self.links = links
    self.usage = usage
    drafts = DraftImages(statements.catalog)
    locator = Locator(session: statements.session)
  }

  /// Begins a transaction; `capturesEmbedded`: changes inside embedded objects are to be told from changes of their
  /// owners.
  func begin(capturesEmbedded: Bool) {
    recorder.removeAll()
    recorder.operation = 0
    embeddedBefore = capturesEmbedded ? [:] : nil
  }

  /// Begins the operation of the transaction that the context says.
  func beginOperation() { recorder.operation = context.operation }

  /// Begins one that can be withdrawn before its first change.
  func beginWithdrawable() {
    beginOperation()
    recorder.beginWithdrawable()
  }

  /// Forgets what the operation has captured, which was refused before its first change.
  func withdraw() { recorder.withdraw() }

  // Captured changes

  /// The changes of each object so far, in the order in which they were first touched; nil: created and deleted again.
  var entries: [ChangeRecorder.Entry?] { recorder.entries }

  /// Whether an object that is there is another one than before.
  func hasChanged(_ entry: ChangeRecorder.Entry) throws(StorageError) -> Bool {
    if entry.elements.contains(where: { !$0.record.elements.isEmpty }) { return true }
    if !entry.ignoresEqual { return !entry.before.isEmpty }
    for item in entry.before where try images.image(of: item.property, in: entry.row) != item.image {
      return true
    }
    return false
  }

  /// Throws ``StorageError/appendOnlyClass(_:)`` where an object of an append-only class was touched.
  func forbidAppendOnly() throws(StorageError) {
    guard !appendOnly.isEmpty else { return }
    for case let entry? in recorder.entries where appendOnly.contains(entry.row.table) {
      throw .appendOnlyClass(statements.className(of: entry.row))
    }
  }

  /// Whether there is more than should be remembered, where it need not be.
  var isFull: Bool { recorder.isFull }

  /// About the bytes of what is remembered.
  var size: Int { recorder.size }

  /// Returns the bytes of an object's image as it is now.
  func imageSize(of row: RowAddress) throws(StorageError) -> Int { try images.image(of: row).count }

  /// Takes out entries that nothing will be added to.
  func takeEntries(where isComplete: (ChangeRecorder.Entry) -> Bool) -> [ChangeRecorder.Entry] {
    recorder.takeEntries(where: isComplete)
  }

  /// Forgets everything.
  func removeAll() { recorder.removeAll() }

  /// Returns what an object was created from in this transaction, if that is still all of it.
  func draft(of row: RowAddress) -> ObjectDraft? { recorder.entry(for: row)?.draft }

  /// Returns what clients identify an object by.
  func identifier(of row: RowAddress) throws(StorageError) -> Mixed {
    if let entry = recorder.entry(for: row) { return entry.id }
    return try statements.identifier(of: row)
  }

  /// Returns the image of an object that the transaction created.
  ///
  /// - Parameter isKept: Whether somebody will ask for it once more.
  func newImage(_ entry: ChangeRecorder.Entry, isKept: Bool) throws(StorageError) -> [UInt8] {
    guard let draft = entry.draft else { return try images.image(of: entry.row) }
    if let image = entry.image { return image }
    guard let image = drafts.image(of: draft, entry.row) else { return try images.image(of: entry.row) }
    if isKept { recorder.keep(image, of: entry.row) }
    return image
  }

  // Whole objects and properties

  /// Notes that an object is being created.
  func didCreate(_ row: RowAddress, id: Mixed, from draft: ObjectDraft) {
    recorder.didCreate(row, id: id, from: draft)
  }

  /// Forgets an object that could not be created.
  func didNotCreate(_ row: RowAddress) { recorder.didNotCreate(row) }

  /// Captures a property, which is about to change.
  func willChange(
    _ property: Int, of row: RowAddress, id: Mixed, ignoringEqual: Bool = false
  ) throws(StorageError) {
    try willTouch(row)
    guard recorder.needsImage(of: property, for: row) else { return }
    try captureEmbedded(property, of: row)
    let image = try imageBefore(of: property, in: row)
    recorder.willChange(property, of: row, id: id, from: image, ignoringEqual: ignoringEqual)
  }

  /// Notes that an object, whose properties have been captured, was given another state as a whole.
  func didReplace(_ row: RowAddress) { recorder.didReplace(row) }

  /// Captures a property of an object that may be embedded: the change is one of the object that it belongs to.
  func willChangeRoot(
    _ property: Int, of row: RowAddress, ignoringEqual: Bool = false
  ) throws(StorageError) {
    guard let root = try links.root(of: property, in: row) else { return }
    guard recorder.needsImage(of: root.property, for: root.row) else { return }
    try willChange(
      root.property, of: root.row, id: statements.identifier(of: root.row), ignoringEqual: ignoringEqual)
  }

  /// Captures all of an object, which is about to be deleted.
  func willDelete(_ row: RowAddress, id: Mixed) throws(StorageError) {
    try willTouch(row)
    let properties = statements.catalog.tables[row.table].properties
    guard recorder.entry(for: row) != nil else {
      // In the place of a property, the number of them: the image is that of all.
      return recorder.willDelete(row, id: id, images: [(properties.count, try images.image(of: row))])
    }
    var before: [(property: Int, image: [UInt8])] = []
    for (index, layout) in properties.enumerated()
    where layout.element != nil && recorder.needsImage(of: index, for: row) {
      before.append((index, try imageBefore(of: index, in: row)))
    }
    recorder.willDelete(row, id: id, images: before)
  }

  private func willTouch(_ row: RowAddress) throws(StorageError) {
    try context.checkDeadline()
    appendOnly.willChange(row)
    try completeLog(row)
    if recorder.entry(for: row) == nil { try usage.willTouch(row) }
  }

  /// Gives the log what an object of an append-only class was made with, which it left to the row so far.
  private func completeLog(_ row: RowAddress) throws(StorageError) {
    guard appendOnly.contains(row.table), statements[row.table].isFlat, recorder.entry(for: row) == nil
    else { return }
    let versions = try statements.session.cached(
      RowStatements.lastChange(in: statements.catalog.tables[row.table]))
    versions.bind(row.key, at: 1)
    guard let version = try statements.session.integer(versions) else { return }
    try log.complete(
      statements.className(of: row), row.key, madeIn: version, with: try images.image(of: row))
  }

  /// Returns a property's image before the transaction, of which only single elements may have changed so far.
  private func imageBefore(of property: Int, in row: RowAddress) throws(StorageError) -> [UInt8] {
    let image = try images.image(of: property, in: row)
    guard let record = recorder.elements(of: property, for: row) else { return image }
    guard case .dictionary(let entries) = try ImageReader.value(of: image) else { throw .corrupt("image") }
    var bytes: [UInt8] = []
    var before: [Mixed.Entry] = []
    for entry in entries { before.append(try record.undone(entry)) }
    MixedCoding.append(.dictionary(before), to: &bytes)
    return bytes
  }

  // Single elements: they are logged as such, not as changes of the whole collection

  /// Captures what is at a place, an element as that element, while `body` changes it.
  func change(
    at location: Location, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    let owner = location.owner
    let (property, element) =
      location.root.map { ($0.property, $0.element) } ?? (location.property, location.element)
    guard let element else {
      try willChange(property, of: owner, id: try identifier(of: owner))
      return try body()
    }
    try change(element, of: property, in: owner, body)
  }

  /// Has `body` change elements of a collection. It is told whether to note each (``didChange(_:in:from:to:)``): inside an
  /// embedded object the whole property is captured instead.
  func changeElements(
    of collection: Location, _ body: (_ isCaptured: Bool) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard collection.root == nil else {
      return try change(at: collection) { () throws(StorageError) in try body(false) }
    }
    try body(needsElements(of: collection.property, in: collection.owner))
  }

  /// Notes that an element of a collection has changed. Only where ``changeElements(of:_:)`` says so.
  func didChange(
    _ place: ElementChange.Place, in collection: Location, from before: Mixed? = nil, to after: Mixed? = nil
  ) throws(StorageError) {
    try didChange(
      ElementChange(place, before: before, after: after), of: collection.property, in: collection.owner)
  }

  /// Captures one element of a collection while `body` changes it.
  ///
  /// An embedded object's collection is a part of the object that it belongs to, and captured with that.
  func change(
    _ element: Location.Element, of property: Int, in row: RowAddress,
    _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    guard try needsElements(of: property, in: row) else { return try body() }
    let before = try image(of: element, in: property, of: row)
    try body()
    let after = try image(of: element, in: property, of: row)
    let place: ElementChange.Place =
      switch element {
      case .key(let key): .key(key)
      case .index(let index): .index(index < 0 ? try index + count(property, of: row) : index)
      }
    try didChange(ElementChange(place, before: before, after: after), of: property, in: row)
  }

  /// Whether changes of single elements of a property, which are about to be made, are to be captured. False for
  /// embedded objects.
  func needsElements(of property: Int, in row: RowAddress) throws(StorageError) -> Bool {
    guard !statements.isEmbedded(row) else { return false }
    try captureEmbedded(property, of: row)
    if recorder.entry(for: row) == nil { try usage.willTouch(row) }
    return recorder.needsElements(of: property, for: row)
  }

  /// Notes that an element has changed. Only where ``needsElements(of:in:)``.
  func didChange(
    _ change: ElementChange, of property: Int, in row: RowAddress
  ) throws(StorageError) {
    recorder.didChange(change, of: property, of: row, id: try identifier(of: row))
  }

  private func image(
    of element: Location.Element, in property: Int, of row: RowAddress
  ) throws(StorageError) -> Mixed? {
    switch element {
    case .key(let key): return try images.entry(key, of: property, in: row)
    case .index(let index):
      let list = Location(owner: row, holder: row, root: nil, property: property)
      guard let position = try locator.position(of: index, in: list) else { return nil }
      return try images.element(at: position, of: property, in: row)
    }
  }

  private func count(_ property: Int, of row: RowAddress) throws(StorageError) -> Int {
    try locator.count(Location(owner: row, holder: row, root: nil, property: property))
  }

  // Embedded objects

  /// Whether any embedded object was captured.
  var hasEmbedded: Bool { embeddedBefore?.isEmpty == false }

  /// Returns the keys of the embedded objects that a property held before its first change; nil where it was not
  /// captured.
  func embeddedKeys(before place: EmbeddedPlace) -> [Int64]? { embeddedBefore?[place] }

  /// Captures which embedded objects a property holds, which is about to change.
  private func captureEmbedded(_ property: Int, of row: RowAddress) throws(StorageError) {
    guard embeddedBefore != nil else { return }
    let place = EmbeddedPlace(row: row, property: property)
    guard embeddedBefore?[place] == nil else { return }
    if let keys = try statements.embeddedKeys(in: place) { embeddedBefore?[place] = keys }
  }
}
