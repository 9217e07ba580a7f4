import Model
import SQLite

extension WriteTransaction {
  /// Performs what follows from the transaction so far. Its own changes are part of the same commit.
  func perform(_ hook: CommitHook?) throws(StorageError) {
    guard let hook else { return }
    let objects = hook.needsObjects ? try changeSet() : []
    let changeSet = ChangeSet(objects: objects, version: version, schema: catalog.schema, session: self)
    let operations = try hook.operations(changeSet)
    if try !add(operations) {
      for operation in operations { _ = try perform(operation) }
    }
    // Conditions are for what the transaction itself does.
    touched = []
  }

  /// Throws ``StorageError/appendOnlyClass(_:)`` where the transaction touched an object that it may not.
  func checkGuards() throws(StorageError) {
    guard !appendOnly.isEmpty else { return }
    for case let entry? in recorder.entries where appendOnly.contains(entry.subject.table) {
      throw .appendOnlyClass(catalog.tables[entry.subject.table].objectType.name)
    }
  }

  private func changeSet() throws(StorageError) -> [ObjectChange] {
    let entries = recorder.entries
    var places = entries.indices.filter { place in
      entries[place].map { !appendOnly.contains($0.subject.table) } ?? false
    }
    if places.count > 1 {
      let subjects = entries.map { ($0?.subject.table ?? 0, $0?.subject.key ?? 0) }
      places.sort { subjects[$0] < subjects[$1] }
    }
    var objects: [ObjectChange] = []
    objects.reserveCapacity(places.count)
    for place in places {
      guard let entry = entries[place] else { continue }
      switch entry.kind {
      case .created: objects.append(effect(on: entry, after: try newObject(entry)))
      case .deleted:
        let before = try decoded(ChangeLog.joined(entry.before.map(\.image)))
        objects.append(effect(on: entry, before: before))
      case .updated: objects += try updates(entry)
      }
    }
    return objects
  }

  private func updates(_ entry: ChangeRecorder.Entry) throws(StorageError) -> [ObjectChange] {
    let now = try decoded(image(of: entry.subject))
    guard let changed = try changes(entry), !changed.isEmpty else { return [] }
    let object = effect(
      on: entry, before: now.replacing(changed), after: now, written: Set(changed.map(\.key)))
    return try parts(of: object, entry.subject)
  }

  private func effect(
    on entry: ChangeRecorder.Entry, before: Mixed? = nil, after: Mixed? = nil, written: Set<String> = []
  ) -> ObjectChange {
    ObjectChange(
      objectType: catalog.tables[entry.subject.table].objectType.name, key: ObjectKey(entry.subject.key),
      before: before, after: after, written: written)
  }

  private func newObject(_ entry: ChangeRecorder.Entry) throws(StorageError) -> Mixed {
    guard let draft = entry.draft, let drafted = draftWriters[entry.subject.table]?.image else {
      return try decoded(newImage(entry))
    }
    return drafted.image(draft)
  }

  /// An object that was changed, without what happened inside its embedded objects, and those.
  private func parts(
    of object: ObjectChange, _ subject: RowAddress
  ) throws(StorageError) -> [ObjectChange] {
    guard embeddedBefore?.isEmpty == false, let before = object.before, let after = object.after else {
      return [object]
    }
    var written = object.written
    var parts: [ObjectChange] = []
    for (index, layout) in catalog.tables[subject.table].properties.enumerated() {
      let name = layout.property.storedName
      guard written.contains(name), let old = before.entry(name), let new = after.entry(name),
        let changeSet = try embeddedChanges(
          of: EmbeddedPlace(subject: subject, property: index), before: old, after: new)
      else { continue }
      parts += changeSet.objects
      // A property that was written with the same objects in it is none that was.
      if changeSet.isAll { written.remove(name) }
    }
    for index in parts.indices { parts[index].ownerType = object.objectType }
    if written.isEmpty { return parts }
    let owner = ObjectChange(
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
    else { throw .unknownClass(objectType) }
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
