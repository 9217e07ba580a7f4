import GatehouseModel
import GatehouseSQLite

/// Makes the ``ChangeSet`` of a transaction, for its hook, of what has been captured. Reads tables, and owns none.
struct ChangeSetBuilder {
  let base: WriteBase
  let images: ImageReader
  let capture: ChangeCapture
  private var statements: WriteStatements { base.statements }

  /// Returns the net change of each object, by class in the order of the schema, then by key.
  func changes() throws(StorageError) -> [ObjectChange] {
    let entries = capture.entries
    var places = entries.indices.filter { place in
      entries[place].map { !base.appendOnly.contains($0.row.table) } ?? false
    }
    if places.count > 1 {
      let rows = entries.map { ($0?.row.table ?? 0, $0?.row.key ?? 0) }
      places.sort { rows[$0] < rows[$1] }
    }
    var changes: [ObjectChange] = []
    changes.reserveCapacity(places.count)
    for place in places {
      guard let entry = entries[place] else { continue }
      switch entry.kind {
      case .created: changes.append(change(of: entry, after: try newValue(entry)))
      case .deleted:
        let before = try ImageReader.value(of: ChangeLog.joined(entry.before.map(\.image)))
        changes.append(change(of: entry, before: before))
      case .updated: changes += try updates(entry)
      }
    }
    return changes
  }

  private func newValue(_ entry: ChangeRecorder.Entry) throws(StorageError) -> Mixed {
    if let draft = entry.draft, let value = capture.drafts.value(of: draft, entry.row.table) { return value }
    return try ImageReader.value(of: capture.newImage(entry, isKept: true))
  }

  private func updates(_ entry: ChangeRecorder.Entry) throws(StorageError) -> [ObjectChange] {
    let now = try ImageReader.value(of: images.image(of: entry.row))
    guard let written = try valuesBefore(entry), !written.isEmpty else { return [] }
    let object = change(
      of: entry, before: now.replacing(written), after: now, written: Set(written.map(\.key)))
    return try separatingEmbedded(object, entry.row)
  }

  private func change(
    of entry: ChangeRecorder.Entry, before: Mixed? = nil, after: Mixed? = nil, written: Set<String> = []
  ) -> ObjectChange {
    ObjectChange(
      objectType: statements.className(of: entry.row), key: ObjectKey(entry.row.key), before: before,
      after: after, written: written)
  }

  /// Returns the written properties with the values that they had.
  private func valuesBefore(_ entry: ChangeRecorder.Entry) throws(StorageError) -> [Mixed.Entry]? {
    var values: [Mixed.Entry] = []
    for item in entry.before {
      if entry.ignoresEqual, try images.image(of: item.property, in: entry.row) == item.image { continue }
      guard case .dictionary(let before) = try ImageReader.value(of: item.image) else { return nil }
      values += before
    }
    for item in entry.elements where !item.record.elements.isEmpty {
      let now = try ImageReader.value(of: images.image(of: item.property, in: entry.row))
      guard case .dictionary(let entries) = now else { return nil }
      for entry in entries { values.append(try item.record.undone(entry)) }
    }
    return values
  }

  // Realm tells a change inside an embedded object as a modification of that object, and only another embedded object
  // in its place as one of the owner. Images do not know the one from the other, keys do.

  /// Returns the change of an object without what happened inside its embedded objects, and their changes.
  private func separatingEmbedded(
    _ object: ObjectChange, _ row: RowAddress
  ) throws(StorageError) -> [ObjectChange] {
    guard capture.hasEmbedded else { return [object] }
    var written = object.written
    var parts: [ObjectChange] = []
    for (index, layout) in statements.catalog.tables[row.table].properties.enumerated()
    where written.contains(layout.property.storedName) {
      let place = EmbeddedPlace(row: row, property: index)
      guard let embedded = try embeddedChanges(of: object, in: place, layout) else { continue }
      parts += embedded.objects
      // A property that was written with the same objects in it is none that was.
      if embedded.isAll { written.remove(layout.property.storedName) }
    }
    for index in parts.indices { parts[index].ownerType = object.objectType }
    if written.isEmpty { return parts }
    let owner = ObjectChange(
      objectType: object.objectType, key: object.key, before: object.before, after: object.after,
      written: written)
    return [owner] + parts
  }

  private func embeddedChanges(
    of object: ObjectChange, in place: EmbeddedPlace, _ layout: PropertyLayout
  ) throws(StorageError) -> (objects: [ObjectChange], isAll: Bool)? {
    let name = layout.property.storedName
    guard let old = object.before?.entry(name), let new = object.after?.entry(name) else { return nil }
    return try embeddedChanges(in: place, before: old, after: new)
  }

  /// Returns the embedded objects of a property that were changed where they are, and whether that is all that happened
  /// to the property; nil where it holds none.
  private func embeddedChanges(
    in place: EmbeddedPlace, before: Mixed, after: Mixed
  ) throws(StorageError) -> (objects: [ObjectChange], isAll: Bool)? {
    guard let old = capture.embeddedKeys(before: place), let new = try statements.embeddedKeys(in: place)
    else { return nil }
    let layout = statements.layout(of: place.property, in: place.row)
    guard let table = try statements.embeddedTable(layout) else { return nil }
    let type = statements.catalog.tables[table].objectType
    let (images, now) = (before.embeddedImages(layout), after.embeddedImages(layout))
    var objects: [ObjectChange] = []
    for (index, key) in old.enumerated() where images.indices.contains(index) {
      guard let place = new.firstIndex(of: key), now.indices.contains(place), images[index] != now[place]
      else { continue }
      objects.append(
        ObjectChange(
          objectType: type.name, key: ObjectKey(key), before: images[index], after: now[place],
          written: Set(type.properties.map(\.storedName))))
    }
    let keepsPlaces = before.entryKeys == after.entryKeys
    return (objects, old == new && !old.isEmpty && keepsPlaces)
  }
}

extension Mixed {
  /// The dictionary with those entries in place of its own.
  fileprivate func replacing(_ changed: [Entry]) -> Mixed {
    guard case .dictionary(let entries) = self else { return self }
    return .dictionary(entries.map { entry in changed.first { $0.key == entry.key } ?? entry })
  }

  /// The images of the embedded objects that a property's value holds.
  fileprivate func embeddedImages(_ layout: PropertyLayout) -> [Mixed] {
    switch (layout.property.type, self) {
    case (.map, .dictionary(let entries)): entries.map(\.value).filter { $0 != .null }
    case (.list, .list(let values)): values
    case (.one, .dictionary): [self]
    default: []
    }
  }

  /// The keys of a dictionary.
  fileprivate var entryKeys: [String] {
    if case .dictionary(let entries) = self { entries.map(\.key) } else { [] }
  }
}
