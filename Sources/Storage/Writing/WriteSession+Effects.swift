import Model
import SQLite

extension WriteSession {
  /// Performs what follows from the transaction so far. Its own changes are part of the same commit.
  func perform(_ sequel: Sequel?) throws(StorageError) {
    guard let sequel else { return }
    let objects = sequel.needsObjects ? try effects() : []
    let effects = Effects(objects: objects, version: version, schema: catalog.schema, session: self)
    for operation in try sequel.operations(effects) { _ = try perform(operation) }
    // Conditions are for what the transaction itself does.
    touched = []
  }

  /// Throws ``StorageError/guardedClass(_:)`` where the transaction touched an object that it may not.
  func checkGuards() throws(StorageError) {
    guard !guarded.isEmpty else { return }
    for case let entry? in recorder.entries where guarded.contains(entry.subject.table) {
      throw .guardedClass(catalog.tables[entry.subject.table].objectType.name)
    }
  }

  private func effects() throws(StorageError) -> [Effects.Object] {
    var entries = recorder.entries.compactMap { entry in
      entry.flatMap { guarded.contains($0.subject.table) ? nil : $0 }
    }
    if entries.count > 1 {
      entries.sort { ($0.subject.table, $0.subject.key) < ($1.subject.table, $1.subject.key) }
    }
    var objects: [Effects.Object] = []
    for entry in entries { objects += try effects(entry) }
    return objects
  }

  private func effects(_ entry: ChangeRecorder.Entry) throws(StorageError) -> [Effects.Object] {
    var before: Mixed?
    var after: Mixed?
    var written: Set<String> = []
    switch entry.kind {
    case .created: after = try newObject(entry)
    case .deleted: before = try decoded(ChangeLog.joined(entry.before.map(\.image)))
    case .updated:
      let now = try decoded(image(of: entry.subject))
      guard let changed = try changes(entry), !changed.isEmpty else { return [] }
      written = Set(changed.map(\.key))
      before = now.replacing(changed)
      after = now
    }
    let object = Effects.Object(
      objectType: catalog.tables[entry.subject.table].objectType.name, key: ObjectKey(entry.subject.key),
      before: before, after: after, written: written)
    return try entry.kind == .updated ? parts(of: object, entry.subject) : [object]
  }

  private func newObject(_ entry: ChangeRecorder.Entry) throws(StorageError) -> Mixed {
    guard let draft = entry.draft, let drafted = draftWriters[entry.subject.table]?.image else {
      return try decoded(newImage(entry))
    }
    return drafted.image(draft)
  }

  /// An object that was changed, without what happened inside its embedded objects, and those.
  private func parts(
    of object: Effects.Object, _ subject: ChangeRecorder.Subject
  ) throws(StorageError) -> [Effects.Object] {
    guard embeddedBefore?.isEmpty == false, let before = object.before, let after = object.after else {
      return [object]
    }
    var written = object.written
    var parts: [Effects.Object] = []
    for (index, layout) in catalog.tables[subject.table].properties.enumerated() {
      let name = layout.property.storedName
      guard written.contains(name), let old = before.entry(name), let new = after.entry(name),
        let effects = try embeddedEffects(
          of: EmbeddedPlace(subject: subject, property: index), before: old, after: new)
      else { continue }
      parts += effects.objects
      // A property that was written with the same objects in it is none that was.
      if effects.isAll { written.remove(name) }
    }
    for index in parts.indices { parts[index].ownerType = object.objectType }
    if written.isEmpty { return parts }
    let owner = Effects.Object(
      objectType: object.objectType, key: object.key, before: before, after: after, written: written)
    return [owner] + parts
  }

  /// The written properties with the values that they had.
  private func changes(_ entry: ChangeRecorder.Entry) throws(StorageError) -> [Mixed.Entry]? {
    var changes: [Mixed.Entry] = []
    for item in entry.before {
      if entry.ignoresEqual, try image(of: item.property, entry.subject) == item.image { continue }
      guard case .dictionary(let values) = try decoded(item.image) else { return nil }
      changes += values
    }
    for item in entry.elements where !item.record.elements.isEmpty {
      guard case .dictionary(let values) = try decoded(image(of: item.property, entry.subject)) else {
        return nil
      }
      changes += values.map { Mixed.Entry(key: $0.key, value: item.record.undone($0.value)) }
    }
    return changes
  }

  private func decoded(_ image: [UInt8]) throws(StorageError) -> Mixed {
    guard let value = image.withUnsafeBufferPointer(MixedCoding.decode) else { throw .corrupt("image") }
    return value
  }

  /// A property of the newest object of a class.
  func last(_ objectType: String, _ property: String) throws(StorageError) -> Mixed? {
    let table = try catalog.index(of: objectType)
    let layout = catalog.tables[table]
    guard let index = layout.objectType.index(of: property), let type = layout.properties[index].element
    else {
      throw .unknownClass(objectType)
    }
    if let assignment = newest[table]?.assignments.first(where: { $0.property == index }),
      case .value(let value) = assignment.value
    {
      return value
    }
    let statement = try reading.cached(
      "SELECT \(layout.properties[index].column) FROM \(layout.table) ORDER BY _key DESC LIMIT 1")
    defer { statement.reset() }
    return try reading.step(statement) ? statement.value(as: type, at: 0) : nil
  }
}

extension Mixed {
  /// The value that a dictionary has under a name.
  fileprivate func entry(_ name: String) -> Mixed? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries.first { $0.key == name }?.value
  }

  /// The dictionary with those entries in place of its own.
  fileprivate func replacing(_ changed: [Entry]) -> Mixed {
    guard case .dictionary(let entries) = self else { return self }
    return .dictionary(entries.map { entry in changed.first { $0.key == entry.key } ?? entry })
  }
}
