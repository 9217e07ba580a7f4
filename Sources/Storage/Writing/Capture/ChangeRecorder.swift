import GatehouseModel

/// Remembers what a transaction changes, so that its net effect can be logged when it ends.
///
/// Each change is announced before it is made; the first time, the value before is captured. Created
/// and deleted again is no change at all, changed and deleted is a deletion of the values before.
struct ChangeRecorder {
  /// The change of one object so far.
  struct Entry {
    enum Kind: Int64 { case created, updated, deleted }

    let row: RowAddress
    /// The primary key, or the object key.
    let id: Mixed
    /// The operation of the transaction that touched it first.
    let operation: Int
    var kind: Kind
    /// Images of the changed properties as they were, in the order of the first changes.
    var before: [(property: Int, image: [UInt8])]
    /// Collections of which only some elements changed; none of them is in ``before``.
    var elements: [(property: Int, record: ElementRecord)] = []
    /// Whether the object was given another state as a whole.
    var isReplaced = false
    /// For Realm's `UpdatePolicy.modified`: a property that ends as it began is no change.
    var ignoresEqual: Bool
    /// The draft that a created object was made from, as long as it is all of the object.
    var draft: ObjectDraft?
    /// The image of ``draft`` for the change log, once somebody has asked.
    var image: [UInt8]?
  }

  /// The operation that is being performed.
  var operation = 0
  /// The properties that the operation has captured, where it can be withdrawn; nil: it cannot.
  private var captured: [(row: RowAddress, property: Int)]?
  /// In the order in which the objects were first touched; nil: created and deleted again.
  private(set) var entries: [Entry?] = []
  /// The object of each entry, also where that is nil.
  private var rows: [RowAddress] = []
  /// Where the latest entry of each object is, as soon as there are more than ``few``.
  private var positions: [RowAddress: Int] = [:]

  /// About the bytes that are remembered: the images, and what each entry takes beside them.
  private(set) var size = 0

  /// How many entries there may be before those that are complete should be taken out.
  private var room = ChangeRecorder.leastRoom

  private static let leastRoom = 1024
  private static let entrySize = 128

  /// Among so many, going through all of them is faster than hashing.
  private static let few = 8

  /// Begins an operation that can be withdrawn before its first change.
  mutating func beginWithdrawable() { captured = [] }

  /// Forgets what the operation has captured, which has changed nothing.
  mutating func withdraw() {
    for item in (captured ?? []).reversed() {
      guard let position = position(of: item.row),
        let place = entries[position]?.before.lastIndex(where: { $0.property == item.property }),
        let removed = entries[position]?.before.remove(at: place)
      else { continue }
      size -= removed.image.count
      if entries[position]?.before.isEmpty == true, entries[position]?.elements.isEmpty == true {
        removeLast(item.row)
      }
    }
    captured = nil
  }

  /// Forgets everything.
  mutating func removeAll() {
    captured = nil
    let isSmall = entries.count <= ChangeRecorder.few
    entries.removeAll(keepingCapacity: isSmall)
    rows.removeAll(keepingCapacity: isSmall)
    // Few that are left may have been more for a moment.
    if !positions.isEmpty { positions = [:] }
    room = ChangeRecorder.leastRoom
    size = 0
  }

  /// Whether there is more than should be remembered, where it need not be.
  var isFull: Bool { entries.count >= room }

  /// Takes out entries that nothing will be added to.
  mutating func takeEntries(where isComplete: (Entry) -> Bool) -> [Entry] {
    var taken: [Entry] = []
    var rest: [Entry] = []
    for case let entry? in entries {
      if isComplete(entry) { taken.append(entry) } else { rest.append(entry) }
    }
    removeAll()
    for entry in rest { add(entry) }
    // The rest is gone through again only when there is as much beside it.
    room = max(ChangeRecorder.leastRoom, 2 * rest.count)
    return taken
  }

  private func position(of row: RowAddress) -> Int? {
    guard rows.count > ChangeRecorder.few else { return rows.lastIndex(of: row) }
    guard let position = positions[row] else { return nil }
    precondition(rows[position] == row, "an object is found by its own changes")
    return position
  }

  func entry(for row: RowAddress) -> Entry? {
    position(of: row).flatMap { entries[$0] }
  }

  /// Whether the property, which is about to change, has an image before that is still to be captured.
  mutating func needsImage(of property: Int, for row: RowAddress) -> Bool {
    guard let position = position(of: row) else { return true }
    // An object that was created and is being deleted: its links to itself are nobody's concern.
    guard let entry = entries[position] else { return false }
    entries[position]?.draft = nil
    return entry.kind == .updated && !entry.before.contains { $0.property == property }
  }

  /// Whether a change of some elements of the property, about to be made, is to be told.
  mutating func needsElements(of property: Int, for row: RowAddress) -> Bool {
    needsImage(of: property, for: row)
  }

  /// The changes of single elements of the property so far.
  func elements(of property: Int, for row: RowAddress) -> ElementRecord? {
    entry(for: row)?.elements.first { $0.property == property }?.record
  }

  /// An element of the property has changed. Only where ``needsElements(of:for:)``.
  mutating func didChange(_ element: ElementChange, of property: Int, of row: RowAddress, id: Mixed) {
    if entry(for: row) == nil {
      add(
        Entry(row: row, id: id, operation: operation, kind: .updated, before: [], ignoresEqual: false)
      )
    }
    guard let position = position(of: row), entries[position] != nil else { return }
    let index = entries[position]?.elements.firstIndex { $0.property == property }
    if let index {
      entries[position]?.elements[index].record.add(element)
    } else {
      var record = ElementRecord()
      record.add(element)
      entries[position]?.elements.append((property, record))
    }
  }

  /// The image of a created object, for whoever asks next.
  mutating func keep(_ image: [UInt8], of row: RowAddress) {
    if let position = position(of: row) { entries[position]?.image = image }
  }

  mutating func didCreate(_ row: RowAddress, id: Mixed, from draft: ObjectDraft) {
    add(
      Entry(
        row: row, id: id, operation: operation, kind: .created, before: [], ignoresEqual: false,
        draft: draft))
  }

  /// Forgets the object that was noted last, and could not be created.
  mutating func didNotCreate(_ row: RowAddress) {
    precondition(entries.last??.kind == .created, "what could not be created was noted last")
    removeLast(row)
  }

  private mutating func removeLast(_ row: RowAddress) {
    precondition(rows.last == row, "what is forgotten was noted last")
    entries.removeLast()
    rows.removeLast()
    precondition(size >= ChangeRecorder.entrySize, "what is forgotten was counted")
    size -= ChangeRecorder.entrySize
    if rows.count <= ChangeRecorder.few {
      positions = [:]
    } else {
      positions[row] = rows.lastIndex(of: row)
    }
  }

  /// The property is about to change from `image`, which changes of single elements have been taken out of.
  mutating func willChange(
    _ property: Int, of row: RowAddress, id: Mixed, from image: [UInt8], ignoringEqual: Bool
  ) {
    guard let position = position(of: row), let entry = entries[position] else {
      captured?.append((row, property))
      let before = [(property: property, image: image)]
      add(
        Entry(
          row: row, id: id, operation: operation, kind: .updated, before: before,
          ignoresEqual: ignoringEqual))
      return
    }
    // Where single elements have changed before, the image says that from now on.
    if !entry.elements.contains(where: { $0.property == property }) { captured?.append((row, property)) }
    entries[position]?.elements.removeAll { $0.property == property }
    precondition(
      entries[position]?.before.contains { $0.property == property } == false,
      "a property is captured before its first change")
    entries[position]?.before.append((property, image))
    size += image.count
  }

  /// All of the object has been given another state, which is captured.
  mutating func didReplace(_ row: RowAddress) {
    if let position = position(of: row) { entries[position]?.isReplaced = true }
  }

  /// The object is about to be deleted; `images` are those of the properties that need one.
  mutating func willDelete(_ row: RowAddress, id: Mixed, images: [(property: Int, image: [UInt8])]) {
    guard let position = position(of: row), let entry = entries[position] else {
      add(
        Entry(
          row: row, id: id, operation: operation, kind: .deleted, before: images, ignoresEqual: false)
      )
      return
    }
    if entry.kind == .created {
      entries[position] = nil
    } else {
      entries[position]?.kind = .deleted
      entries[position]?.before += images
      entries[position]?.elements = []
      size += images.reduce(0) { $0 + $1.image.count }
    }
  }

  private mutating func add(_ entry: Entry) {
    precondition(
      entries.count == rows.count && (rows.count <= ChangeRecorder.few) == positions.isEmpty,
      "each entry is found by its object")
    entries.append(entry)
    size += entry.before.reduce(ChangeRecorder.entrySize) { $0 + $1.image.count }
    rows.append(entry.row)
    if rows.count == ChangeRecorder.few + 1 {
      for (position, row) in rows.enumerated() { positions[row] = position }
    } else if rows.count > ChangeRecorder.few {
      positions[entry.row] = rows.count - 1
    }
  }
}
