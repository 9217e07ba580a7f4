import GatehouseModel
import GatehouseSQLite

/// Changes properties of objects, and what paths lead to inside them: has each change captured, and then made. Owns no
/// table; ``ObjectStore`` and ``CollectionStore`` write.
final class PropertyWriter {
  private let statements: WriteStatements
  private let objects: ObjectStore
  private let collections: CollectionStore
  private let capture: ChangeCapture
  private let context: WriteContext
  private let lists: ListWriter
  private let sets: SetWriter
  private let mixed: MixedWriter
  private let locator: Locator
  private var catalog: Catalog { statements.catalog }

  init(_ parts: WriteParts, lists: ListWriter) {
    statements = parts.base.statements
    objects = parts.objects
    collections = parts.collections
    capture = parts.capture
    context = parts.base.context
    self.lists = lists
    sets = SetWriter(parts)
    mixed = MixedWriter(parts)
    locator = Locator(session: statements.session)
  }

  // Changes of a patch

  /// Changes properties of an object, which have been captured unless single entries change, as a patch says.
  func apply(_ changes: [ObjectPatch.Change], to row: RowAddress) throws(StorageError) {
    try objects.vacate(row, for: changes.map(\.property))
    for change in changes { try apply(change, to: row) }
  }

  private func apply(_ change: ObjectPatch.Change, to row: RowAddress) throws(StorageError) {
    switch change.value {
    case .assign(let value): try objects.assign(value, to: change.property, of: row)
    case .merge(let entries): try merge(entries, into: change.property, of: row)
    case .patch(let patch): try patchEmbedded(patch, at: change.property, of: row)
    }
  }

  /// Sets some entries of a map, and removes those that have no value.
  private func merge(
    _ entries: [PatchValue.Entry], into property: Int, of row: RowAddress
  ) throws(StorageError) {
    for entry in entries {
      try context.checkDeadline()
      if let merged = entry.merged, try mixed.merge(merged, into: entry.key, of: property, in: row) {
        continue
      }
      try capture.change(.key(entry.key), of: property, in: row) { () throws(StorageError) in
        try objects.removeEmbedded(at: entry.key, in: property, of: row)
        if let value = entry.value {
          try objects.insertElement(value, at: .key(entry.key), into: property, of: row)
        } else {
          try collections.removeEntry(entry.key, from: property, of: row)
        }
      }
    }
  }

  private func patchEmbedded(
    _ patch: ObjectPatch, at property: Int, of row: RowAddress
  ) throws(StorageError) {
    let keys = try objects.key(in: property, of: row)
    guard case .object(let target)? = statements.layout(of: property, in: row).element else {
      throw .corrupt("patch of a property that holds no object")
    }
    let table = try catalog.index(of: target)
    guard let key = keys.first else {
      return try objects.assign(.embedded(try draft(patch, table)), to: property, of: row)
    }
    try apply(patch.changes, to: RowAddress(table: table, key: key))
  }

  /// Returns the values of an embedded object that a patch creates.
  private func draft(_ patch: ObjectPatch, _ table: Int) throws(StorageError) -> ObjectDraft {
    do throws(ValidationError) {
      return try catalog.tables[table].objectType.draft(from: patch, in: catalog.schema)
    } catch {
      throw .invalid(error)
    }
  }

  // Changes of what a path leads to

  /// Makes a change of what is at a place.
  func perform(_ change: PropertyChange, at location: Location) throws(StorageError) {
    switch change {
    case .assign(let value) where location.nested.isEmpty: try assign(value, at: location)
    case .assign(let value): try mixed.assign(value, at: location)
    case .remove: try remove(location)
    case .patch(let patch): try self.patch(patch, at: location)
    case .merge(let entries, let uniquing): try merge(entries, uniquing, into: location)
    case .insert, .move, .removeElements:
      if case .list = locator.layout(location).property.type, location.element == nil {
        try lists.perform(change, at: location)
      } else {
        try mixed.perform(change, at: location)
      }
    case .union(let values): try sets.unite(values, with: location)
    case .subtract(let values): try sets.subtract(values, from: location)
    case .intersect(let values): try sets.intersect(values, with: location)
    }
  }

  private func assign(_ value: DraftValue, at location: Location) throws(StorageError) {
    switch location.element {
    case nil:
      try checkIdentity(value, location)
      try capture.change(at: location) { () throws(StorageError) in
        try objects.assign(value, to: location.property, of: location.holder)
      }
    case .key(let key)?:
      try capture.change(at: location) { () throws(StorageError) in
        try objects.removeEmbedded(at: key, in: location.property, of: location.holder)
        try objects.insertElement(value, at: .key(key), into: location.property, of: location.holder)
      }
    case .index(let index)?: try lists.replaceElement(index, with: value, at: location)
    }
  }

  /// Throws where a value is another primary key than the object has.
  private func checkIdentity(_ value: DraftValue, _ location: Location) throws(StorageError) {
    let type = catalog.tables[location.holder.table].objectType
    guard location.property == type.primaryKeyIndex else { return }
    let id = try capture.identifier(of: location.holder)
    guard case .value(let given) = value, given.isSameKey(as: id) else {
      throw .primaryKeyChanged(objectType: type.name, id: id)
    }
  }

  private func remove(_ location: Location) throws(StorageError) {
    guard location.nested.isEmpty else { return try mixed.remove(location) }
    switch location.element {
    case nil: try assign(locator.layout(location).property.type.emptyValue, at: location)
    case .key(let key)?:
      // Realm: a key that is not there may be removed.
      guard try locator.exists(location) else { return }
      try capture.change(at: location) { () throws(StorageError) in
        try objects.removeEmbedded(at: key, in: location.property, of: location.holder)
        try collections.removeEntry(key, from: location.property, of: location.holder)
      }
    case .index(let index)?:
      try lists.perform(.removeElements(from: index, count: 1), at: location)
    }
  }

  private func patch(_ patch: ObjectPatch, at location: Location) throws(StorageError) {
    guard let target = try locator.object(at: location) else {
      guard case .object(let name)? = locator.layout(location).element else { throw .corrupt("patch") }
      return try assign(.embedded(try draft(patch, try catalog.index(of: name))), at: location)
    }
    try capture.change(at: location) { () throws(StorageError) in
      try apply(patch.changes, to: target)
    }
  }

  private func merge(
    _ entries: [DraftValue.Entry], _ uniquing: PropertyChange.Uniquing, into location: Location
  ) throws(StorageError) {
    guard case .map = locator.layout(location).property.type, location.element == nil else {
      return try mixed.merge(entries, uniquing, into: location)
    }
    for entry in entries {
      try context.checkDeadline()
      var place = location
      place.element = .key(entry.key)
      if uniquing != .new, try locator.exists(place) {
        guard uniquing == .old else { throw .place(.entryExists) }
        continue
      }
      try assign(entry.value, at: place)
    }
  }
}

extension PropertyType {
  /// The value of a property that has none: null, or an empty collection.
  var emptyValue: DraftValue {
    switch self {
    case .one, .linkingObjects: .value(.null)
    case .list, .set: .list([])
    case .map: .map([])
    }
  }
}
