import BSON
import Model
import Query
import SQLite

extension WriteTransaction {
  /// Captures the property's value, since it is about to change.
  func willChange(
    _ property: Int, of subject: RowAddress, id: Mixed, ignoringEqual: Bool = false
  ) throws(StorageError) {
    newest[subject.table] = nil
    try deadline.check()
    try completeLog(subject)
    guard recorder.needsImage(of: property, for: subject) else { return }
    try noteEmbedded(property, of: subject)
    let image = try imageBefore(of: property, subject)
    recorder.willChange(property, of: subject, id: id, from: image, ignoringEqual: ignoringEqual)
  }

  /// Like ``willChange(_:of:id:ignoringEqual:)``, for an object that may be embedded: the change is one of the
  /// object that it belongs to.
  func willChangeRoot(
    _ property: Int, of subject: RowAddress, ignoringEqual: Bool = false
  ) throws(StorageError) {
    guard let root = try root(property, of: subject) else { return }
    guard recorder.needsImage(of: root.property, for: root.subject) else { return }
    let link = ObjectLink(
      objectType: catalog.tables[root.subject.table].objectType.name, key: ObjectKey(root.subject.key))
    let id = try reading.identifier(of: link)
    try willChange(root.property, of: root.subject, id: id, ignoringEqual: ignoringEqual)
  }

  /// Captures all of the object, since it is about to be deleted.
  func willDelete(_ subject: RowAddress, id: Mixed) throws(StorageError) {
    newest[subject.table] = nil
    try deadline.check()
    try completeLog(subject)
    guard recorder.entry(for: subject) != nil else {
      // In the place of a property, that of all of them; see ``imageReaders``.
      let all = catalog.tables[subject.table].properties.count
      return recorder.willDelete(subject, id: id, images: [(all, try image(of: subject))])
    }
    var images: [(property: Int, image: [UInt8])] = []
    for (index, layout) in catalog.tables[subject.table].properties.enumerated()
    where layout.element != nil && recorder.needsImage(of: index, for: subject) {
      images.append((index, try imageBefore(of: index, subject)))
    }
    recorder.willDelete(subject, id: id, images: images)
  }

  /// Logs the net effect of the transaction, and stamps what it changed with its version.
  ///
  /// Returns the objects that did change; none: the version is not used up.
  func finish() throws(OperationError) -> Set<RowAddress> {
    var changed = Set<RowAddress>(minimumCapacity: recorder.entries.count)
    for case let entry? in recorder.entries {
      do throws(StorageError) {
        guard try log(entry) else { continue }
      } catch {
        throw OperationError(operation: entry.operation, reason: error)
      }
      changed.insert(entry.subject)
    }
    try located { () throws(StorageError) in try logAdditions() }
    return changed
  }

  /// Logs what happened to an object; false: nothing did.
  func log(_ entry: ChangeRecorder.Entry) throws(StorageError) -> Bool {
    try deadline.check()
    guard let change = try change(entry) else { return false }
    try checkSize(of: entry, change)
    newBytes += (change.after?.count ?? 0) + (change.elements?.count ?? 0)
    try append(change, of: entry.subject)
    return true
  }

  /// Throws ``StorageError/objectTooLarge(objectType:limit:)`` where an object was made or has grown, and is too large.
  private func checkSize(of entry: ChangeRecorder.Entry, _ change: LogRow) throws(StorageError) {
    let subject = entry.subject
    guard !appendOnly.contains(subject.table) else { return }
    let isFine =
      switch change.operation {
      case .insert: sizes.admits(change.after?.count ?? 0)
      case .update:
        try sizes.admits(subject, growth: growth(entry, change)) { () throws(StorageError) in
          try image(of: subject).count
        }
      case .delete, .schema: true
      }
    guard isFine else {
      throw .objectTooLarge(
        objectType: catalog.tables[subject.table].objectType.name, limit: options.objectSize ?? .max)
    }
  }

  /// The bytes that an object has become larger by, at most.
  private func growth(_ entry: ChangeRecorder.Entry, _ change: LogRow) -> Int {
    let hasNewElements = entry.elements.contains { $0.record.elements.contains { $0.after != nil } }
    return (change.after?.count ?? 0) - (change.before?.count ?? 0)
      + (hasNewElements ? change.elements?.count ?? 0 : 0)
  }

  /// Adds a change to the log.
  func append(
    _ change: LogRow, of subject: RowAddress, leavesValues: Bool = false
  ) throws(StorageError) {
    try log.append(change, version: version, leavesValues: leavesValues)
    ordinal += 1
    changedTables.insert(subject.table)
  }

  /// Logs what a long transaction did so far and forgets it, so that its length takes no memory.
  ///
  /// Only where nothing of it can change once more, and every link leads to an object that is there.
  func flush(_ hook: CommitHook?) throws(OperationError) {
    try located { () throws(StorageError) in
      try checkGuards()
      try perform(hook)
    }
    _ = try finish()
    recorder.removeAll()
  }

  /// What the log has of it, at the next place; nil: nothing has changed.
  private func change(_ entry: ChangeRecorder.Entry) throws(StorageError) -> LogRow? {
    switch entry.kind {
    case .created: return row(entry, .insert, after: try newImage(entry))
    case .deleted: return row(entry, .delete, before: ChangeLog.joined(entry.before.map(\.image)))
    case .updated:
      var before: [[UInt8]] = []
      var after: [[UInt8]] = []
      for item in entry.before {
        let image = try image(of: item.property, entry.subject)
        if entry.ignoresEqual && image == item.image { continue }
        before.append(item.image)
        after.append(image)
      }
      let elements = CollectionChange.encode(collectionChanges(entry))
      guard !after.isEmpty || elements != nil else { return nil }
      try touch(entry.subject)
      return row(
        entry, .update, before: ChangeLog.joined(before), after: ChangeLog.joined(after), elements: elements)
    }
  }

  private func row(
    _ entry: ChangeRecorder.Entry, _ operation: LoggedChange.Operation, before: [UInt8]? = nil,
    after: [UInt8]? = nil, elements: [UInt8]? = nil
  ) -> LogRow {
    LogRow(
      ordinal: ordinal, objectType: catalog.tables[entry.subject.table].objectType.name,
      key: entry.subject.key, id: entry.id, operation: operation, before: before, after: after,
      elements: elements)
  }

  private func collectionChanges(_ entry: ChangeRecorder.Entry) -> [CollectionChange] {
    let properties = catalog.tables[entry.subject.table].properties
    return entry.elements.compactMap { item in
      let elements = item.record.elements
      guard !elements.isEmpty else { return nil }
      return CollectionChange(property: properties[item.property].property.storedName, elements: elements)
    }
  }

  func newImage(_ entry: ChangeRecorder.Entry) throws(StorageError) -> [UInt8] {
    guard let draft = entry.draft else { return try image(of: entry.subject) }
    if let image = entry.image { return image }
    guard let image = image(of: draft, entry.subject) else { return try self.image(of: entry.subject) }
    recorder.keep(image, of: entry.subject)
    return image
  }

  /// The image of a new object that the draft is all of; nil where only the file can say.
  func image(of draft: ObjectDraft, _ subject: RowAddress) -> [UInt8]? {
    guard let drafted = draftWriters[subject.table]?.image else { return nil }
    var writer = ImageWriter(capacity: 256)
    drafted.write(draft, key: subject.key, to: &writer)
    return writer.bytes
  }

  /// The object as clients see it, after the transaction.
  func answer(
    _ subject: RowAddress, as representation: Representation
  ) throws(StorageError) -> [UInt8] {
    guard representation == .json, let draft = recorder.entry(for: subject)?.draft,
      let drafted = draftWriters[subject.table]?.answer
    else { return try reader(subject.table).bytes(of: subject.key, as: representation) }
    var writer = PlainJSONWriter(appendingTo: [])
    drafted.write(draft, key: subject.key, to: &writer)
    return writer.finish()
  }

  private func touch(_ subject: RowAddress) throws(StorageError) {
    let statement = try statements[subject.table][.touch]
    statement.bind(version, at: 1)
    statement.bind(subject.key, at: 2)
    try run(statement)
  }

  func image(of subject: RowAddress) throws(StorageError) -> [UInt8] {
    let properties = catalog.tables[subject.table].properties
    return try image(
      properties.indices.filter { properties[$0].element != nil }, subject, slot: properties.count)
  }

  /// The property's image before the transaction, of which only single elements may have changed so far.
  private func imageBefore(
    of property: Int, _ subject: RowAddress
  ) throws(StorageError) -> [UInt8] {
    let image = try image(of: property, subject)
    guard let record = recorder.elements(of: property, for: subject) else { return image }
    guard case .dictionary(let entries)? = image.withUnsafeBufferPointer(MixedCoding.decode) else {
      throw .corrupt("image")
    }
    var bytes: [UInt8] = []
    let before = entries.map { Mixed.Entry(key: $0.key, value: record.undone($0.value)) }
    MixedCoding.append(.dictionary(before), to: &bytes)
    return bytes
  }

  func image(of property: Int, _ subject: RowAddress) throws(StorageError) -> [UInt8] {
    try image([property], subject, slot: property)
  }

  private func image(
    _ properties: @autoclosure () -> [Int], _ subject: RowAddress, slot: Int
  ) throws(StorageError) -> [UInt8] {
    let reader = imageReaders[subject.table][slot] ?? imageReader(properties(), subject.table)
    if imageReaders[subject.table][slot] == nil { imageReaders[subject.table][slot] = reader }
    var writer = ImageWriter()
    try reader.write(subject.key, to: &writer)
    return writer.bytes
  }

  private func imageReader(_ properties: [Int], _ index: Int) -> ObjectReader {
    let table = catalog.tables[index]
    let projection = Projection(
      objectType: table.objectType.name,
      fields: properties.map { Projection.Field(property: $0, target: nil) }, showsKey: false)
    return ObjectReader(table, projection: projection, in: imaging)
  }
}
