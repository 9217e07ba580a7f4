import GatehouseModel
import GatehouseSQLite

/// Changes what is nested in mixed values. A mixed value is one value of its column: it is changed as a whole and written
/// back.
final class MixedWriter {
  private let objects: ObjectStore
  private let collections: CollectionStore
  private let capture: ChangeCapture
  private let context: WriteContext
  private let locator: Locator

  init(_ parts: WriteParts) {
    objects = parts.objects
    collections = parts.collections
    capture = parts.capture
    context = parts.base.context
    locator = Locator(session: parts.base.statements.session)
  }

  /// Puts a value at a place.
  func assign(_ value: DraftValue, at location: Location) throws(StorageError) {
    let value = try columnValue(of: value, at: location)
    try change(location) { $0 = value }
  }

  /// Takes out what is at a place, if anything is.
  func remove(_ location: Location) throws(StorageError) {
    guard try exists(location) else { return }
    try change(location) { $0 = nil }
  }

  /// Adds entries to a dictionary.
  func merge(
    _ entries: [DraftValue.Entry], _ uniquing: PropertyChange.Uniquing, into location: Location
  ) throws(StorageError) {
    guard case .dictionary = try locator.value(at: location) else { throw .place(.wrongKind) }
    for entry in entries {
      var place = location
      place.nested.append(entry.key)
      if uniquing != .new, try exists(place) {
        guard uniquing == .old else { throw .place(.entryExists) }
        continue
      }
      try assign(entry.value, at: place)
    }
  }

  /// Merges entries into the dictionary at a key of a map, as RFC 7396 merges objects; returns false where there is none.
  func merge(
    _ entries: [PatchValue.Entry], into key: String, of property: Int, in row: RowAddress
  ) throws(StorageError) -> Bool {
    let place = Location(owner: row, holder: row, root: nil, property: property, element: .key(key))
    guard try locator.exists(place), case .dictionary(let present)? = try read(place) else { return false }
    let merged = Mixed.dictionary(try self.merged(entries, into: present, at: place))
    try capture.change(at: place) { () throws(StorageError) in try write(merged, at: place) }
    return true
  }

  /// Both are in bytewise order of their keys.
  private func merged(
    _ entries: [PatchValue.Entry], into present: [Mixed.Entry], at place: Location
  ) throws(StorageError) -> [Mixed.Entry] {
    var merged: [Mixed.Entry] = []
    var rest = present[...]
    for entry in entries {
      while let next = rest.first, next.key.compareBytes(entry.key) < 0 { merged.append(rest.removeFirst()) }
      var old: Mixed?
      if let next = rest.first, next.key.compareBytes(entry.key) == 0 { old = rest.removeFirst().value }
      guard let value = entry.value else { continue }
      if case .dictionary(let inner)? = old, let changes = entry.merged {
        let inner = try self.merged(changes, into: inner, at: place)
        merged.append(Mixed.Entry(key: entry.key, value: .dictionary(inner)))
      } else {
        merged.append(Mixed.Entry(key: entry.key, value: try columnValue(of: value, at: place)))
      }
    }
    return merged + rest
  }

  /// Inserts, moves or removes elements of a list.
  func perform(_ change: PropertyChange, at location: Location) throws(StorageError) {
    var new: [Mixed] = []
    if case .insert(let values, _) = change {
      for value in values { new.append(try columnValue(of: value, at: location)) }
    }
    try self.change(location) { (value) throws(StorageError) in
      guard case .list(var values)? = value else { throw .place(.wrongKind) }
      try values.perform(change, inserting: new)
      value = .list(values)
    }
  }

  /// Changes what is at a place; `body` makes nil of what is to be taken out.
  private func change(
    _ location: Location, _ body: (inout Mixed?) throws(StorageError) -> Void
  ) throws(StorageError) {
    var place = location
    place.nested = []
    guard var value = try read(place) else { throw .place(.wrongKind) }
    try value.change(location.nested[...], body)
    let changed = value
    try capture.change(at: place) { () throws(StorageError) in try write(changed, at: place) }
  }

  /// Whether there is something at a place inside a mixed value.
  private func exists(_ location: Location) throws(StorageError) -> Bool {
    var place = location
    place.nested = []
    do throws(StorageError) {
      var value = try read(place)
      for segment in location.nested { value = value?.part(segment) }
      return value != nil
    } catch {
      guard case .place = error else { throw error }
      return false
    }
  }

  /// Returns the whole value of a column or an element, and counts its bytes.
  private func read(_ place: Location) throws(StorageError) -> Mixed? {
    let (value, size) = try locator.storedValue(at: place)
    try context.spend(onMixed: size)
    return value
  }

  private func write(_ value: Mixed, at place: Location) throws(StorageError) {
    switch place.element {
    case nil: try objects.write(value, to: place.property, of: place.holder)
    case .key(let key)?:
      try collections.insert([(.key(key), value)], into: place.property, of: place.holder)
    case .index(let index)?:
      guard let position = try locator.position(of: index, in: place) else { throw .place(.noElement) }
      try collections.insert([(.position(position), value)], into: place.property, of: place.holder)
    }
  }

  private func columnValue(of value: DraftValue, at location: Location) throws(StorageError) -> Mixed {
    try objects.columnValue(of: value, in: locator.layout(location), of: location.holder)
  }
}

extension [Mixed] {
  /// Inserts, moves or removes elements; negative indices count from the end.
  fileprivate mutating func perform(
    _ change: PropertyChange, inserting new: [Mixed]
  ) throws(StorageError) {
    let count = count
    let place = { (index: Int) in index < 0 ? count + index : index }
    switch change {
    case .insert(_, let index):
      let index = index.map(place) ?? count
      guard (0...count).contains(index) else { throw .place(.noElement) }
      insert(contentsOf: new, at: index)
    case .move(let from, let to):
      let (from, to) = (place(from), place(to))
      guard (0..<count).contains(from), (0..<count).contains(to) else { throw .place(.noElement) }
      insert(remove(at: from), at: to)
    case .removeElements(let from, let length):
      let from = place(from)
      guard from >= 0, length <= count - from else { throw .place(.noElement) }
      removeSubrange(from..<(from + length))
    case .assign, .remove, .patch, .merge, .union, .subtract, .intersect: break
    }
  }
}
