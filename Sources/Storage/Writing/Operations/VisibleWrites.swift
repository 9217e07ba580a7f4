import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// Makes of what somebody writes who may not see all objects what is to be stored: what they do not see stays, and places in
/// lists are those that they see. Owns no table.
final class VisibleWrites {
  /// The values of a property as they are stored, and as they are seen.
  private typealias Values = (stored: DraftValue, seen: DraftValue)

  private let statements: WriteStatements
  private let context: WriteContext
  private let objects: ObjectStore
  private let present: PresentValues
  /// The part of the store that is seen; nil: all of it.
  private(set) var visibility: Visibility?
  private var schema: Schema { statements.catalog.schema }

  init(_ parts: WriteParts, present: PresentValues) {
    statements = parts.base.statements
    context = parts.base.context
    objects = parts.objects
    self.present = present
  }

  /// Begins the writes of somebody who sees that part of the store.
  func begin(_ visibility: Visibility?) {
    self.visibility = visibility?.restricted.isEmpty == true ? nil : visibility
  }

  /// Runs what nobody asked for, and so sees everything.
  func seeingEverything<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
    let visibility = visibility
    self.visibility = nil
    defer { self.visibility = visibility }
    return try body()
  }

  /// Follows paths as far as they are seen. What was found out in an earlier operation may be another matter now.
  var locator: Locator {
    Locator(session: statements.session, visible: VisibleValues(visibility, in: statements.session))
  }

  // Properties

  /// Returns the value to store for one that is written to a property.
  func value(
    storing value: DraftValue, for property: Int, of row: RowAddress
  ) throws(StorageError) -> DraftValue {
    guard let values = try values(of: property, in: row) else { return value }
    return value.keeping(values.stored, seenAs: values.seen)
  }

  /// Returns the patch to apply to an object for one that is written.
  func patch(storing patch: ObjectPatch, for row: RowAddress) throws(StorageError) -> ObjectPatch {
    guard visibility != nil else { return patch }
    var patch = patch
    for (index, change) in patch.changes.enumerated() {
      let value = try patchValue(storing: change.value, for: change.property, of: row)
      patch.changes[index] = ObjectPatch.Change(property: change.property, value: value)
    }
    return patch
  }

  private func patchValue(
    storing value: PatchValue, for property: Int, of row: RowAddress
  ) throws(StorageError) -> PatchValue {
    switch value {
    case .assign(let value): return .assign(try self.value(storing: value, for: property, of: row))
    case .merge(let entries):
      guard let values = try values(of: property, in: row), case .map(let stored) = values.stored,
        case .map(let seen) = values.seen
      else { return value }
      return .merge(
        entries.map { entry in
          PatchValue.Entry(
            key: entry.key, value: entry.value?.keeping(entry.key, of: stored, seenAs: seen),
            merged: entry.merged)
        })
    case .patch(let patch):
      guard let table = try statements.embeddedTable(statements.layout(of: property, in: row)),
        let key = try objects.key(in: property, of: row).first
      else { return value }
      return .patch(try self.patch(storing: patch, for: RowAddress(table: table, key: key)))
    }
  }

  /// Returns the values of a property of which something may be concealed; nil: nothing is.
  private func values(of property: Int, in row: RowAddress) throws(StorageError) -> Values? {
    guard let visibility, mayConceal(property, of: row, under: visibility) else { return nil }
    // It reads whole collections, however small the change is.
    try context.checkDeadline(cost: WriteDeadline.stride)
    return try context.reading(on: statements.session.connection) { () throws(StorageError) -> Values? in
      let stored = try draft(of: property, in: row, under: nil)
      let seen = try draft(of: property, in: row, under: visibility)
      return stored == seen ? nil : (stored, seen)
    }
  }

  private func mayConceal(_ property: Int, of row: RowAddress, under visibility: Visibility) -> Bool {
    visibility.conceals(within: statements.layout(of: property, in: row).property.type, in: schema)
  }

  private func draft(
    of property: Int, in row: RowAddress, under visibility: Visibility?
  ) throws(StorageError) -> DraftValue {
    let values = try present.values(of: [property], in: row, under: visibility)
    let type = statements.layout(of: property, in: row).property.type
    let objectType = statements.catalog.tables[row.table].objectType
    // The fields of a document are told as members of their own.
    let areFields = objectType.isSchemaless && property != objectType.primaryKeyIndex
    guard let value = areFields ? .document(values) : values.elements.first?.value,
      let draft = try? type.draft(from: value, in: schema, of: objectType.name)
    else {
      throw .corrupt("value that is none of its property")
    }
    return draft
  }

  // Places

  /// Returns where in the file a place is that somebody sees.
  func place(_ location: Location) throws(StorageError) -> Location {
    guard case .index(let index)? = location.element, let places = try places(in: location) else {
      return location
    }
    guard let place = ListIndex.place(index, in: places.count) else { throw .place(.noElement) }
    var location = location
    location.element = .index(places[place])
    return location
  }

  /// Returns the changes to make, one after the other, for one that is written to a place, which ``place(_:)``
  /// gave.
  func changes(storing change: PropertyChange, at location: Location) throws(StorageError) -> [PropertyChange]
  {
    guard visibility != nil else { return [change] }
    switch change {
    case .assign(let value): return [.assign(try keeping(value, at: location))]
    case .remove:
      guard location.element == nil, location.nested.isEmpty else { return [change] }
      let type = statements.layout(of: location.property, in: location.holder).property.type
      return [.assign(try keeping(type.emptyValue, at: location))]
    case .patch(let patch):
      guard let row = try Locator(session: statements.session).object(at: location) else { return [change] }
      return [.patch(try self.patch(storing: patch, for: row))]
    case .merge(let entries, let uniquing):
      guard let values = try values(at: location), case .map(let stored) = values.stored,
        case .map(let seen) = values.seen
      else { return [change] }
      let kept = entries.map { entry in
        DraftValue.Entry(key: entry.key, value: entry.value.keeping(entry.key, of: stored, seenAs: seen))
      }
      return [.merge(kept, uniquing)]
    case .insert, .move, .removeElements:
      guard let places = try places(in: location) else { return [change] }
      return try change.translated(to: places)
    case .union: return [change]
    case .subtract(let values):
      let concealed = Set(try concealedElements(at: location))
      return [.subtract(values.filter { !concealed.contains($0) })]
    case .intersect(let values): return [.intersect(values + (try concealedElements(at: location)))]
    }
  }

  private func keeping(_ value: DraftValue, at location: Location) throws(StorageError) -> DraftValue {
    guard let values = try values(at: location) else { return value }
    return value.keeping(values.stored, seenAs: values.seen)
  }

  /// Returns the values at a place of which something is concealed; nil: nothing is.
  private func values(at location: Location) throws(StorageError) -> Values? {
    guard var values = try values(of: location.property, in: location.holder) else { return nil }
    let segments: [String] =
      switch location.element {
      case nil: location.nested
      case .key(let key)?: [key] + location.nested
      case .index(let index)?: [String(index)] + location.nested
      }
    // An element of a list that lacks some is a link that is seen.
    if case .index? = location.element, case .list(let stored) = values.stored,
      case .list(let seen) = values.seen,
      seen.count < stored.count
    {
      return nil
    }
    for segment in segments {
      guard let stored = values.stored.part(segment), let seen = values.seen.part(segment) else { return nil }
      values = (stored, seen)
    }
    return values
  }

  /// Returns where in the file the elements of a list are that are seen; nil: all are.
  private func places(in location: Location) throws(StorageError) -> [Int]? {
    guard location.nested.isEmpty, let (stored, seen) = try elements(at: location) else { return nil }
    let concealed = stored.concealed(seenAs: seen)
    return concealed.indices.filter { !concealed[$0] }
  }

  private func concealedElements(at location: Location) throws(StorageError) -> [DraftValue] {
    guard let (stored, seen) = try elements(at: location) else { return [] }
    return zip(stored, stored.concealed(seenAs: seen)).filter(\.1).map(\.0)
  }

  /// Returns the elements of a collection that lacks some of them where it is seen; nil: it lacks none.
  private func elements(at location: Location) throws(StorageError) -> (
    stored: [DraftValue], seen: [DraftValue]
  )? {
    guard let values = try values(of: location.property, in: location.holder),
      case .list(let stored) = values.stored,
      case .list(let seen) = values.seen, seen.count < stored.count
    else { return nil }
    return (stored, seen)
  }
}

extension PropertyChange {
  /// Returns the change of a list of whose elements only those at `places` are seen.
  fileprivate func translated(to places: [Int]) throws(StorageError) -> [PropertyChange] {
    let count = places.count
    switch self {
    case .insert(_, nil): return [self]
    // Nothing goes anywhere, as in a list of which all elements are seen.
    case .insert(let values, _) where values.isEmpty: return []
    case .insert(let values, let index?):
      let place = index < 0 ? count + index : index
      guard (0...count).contains(place) else { throw .place(.noElement) }
      return [.insert(values, at: place == count ? nil : places[place])]
    case .move(let from, let to):
      guard let from = ListIndex.place(from, in: count), let to = ListIndex.place(to, in: count) else {
        throw .place(.noElement)
      }
      return [.move(from: places[from], to: places[to])]
    case .removeElements(let from, let length):
      let start = from < 0 ? count + from : from
      if start >= 0, length == 0 { return [] }
      guard start >= 0, length <= count - start else { throw .place(.noElement) }
      return places[start..<(start + length)].reversed().map { .removeElements(from: $0, count: 1) }
    case .assign, .remove, .patch, .merge, .union, .subtract, .intersect: return [self]
    }
  }
}
