import Model
import SQLite

/// A property of an object that holds embedded objects.
struct EmbeddedPlace: Hashable {
  let subject: RowAddress
  let property: Int
}

// Realm tells a change inside an embedded object as a modification of that object, and only another embedded object in
// its place as one of the owner. Images do not know the one from the other, keys do.
extension WriteTransaction {
  /// Remembers which embedded objects the property holds, which is about to change.
  func noteEmbedded(_ property: Int, of subject: RowAddress) throws(StorageError) {
    guard embeddedBefore != nil else { return }
    let place = EmbeddedPlace(subject: subject, property: property)
    guard embeddedBefore?[place] == nil else { return }
    if let keys = try embeddedKeys(place) { embeddedBefore?[place] = keys }
  }

  /// The keys of the embedded objects, in the order of images; nil where the property holds none by its type.
  private func embeddedKeys(_ place: EmbeddedPlace) throws(StorageError) -> [Int64]? {
    let table = catalog.tables[place.subject.table]
    let layout = table.properties[place.property]
    guard try embeddedTable(layout) != nil else { return nil }
    let sql =
      switch layout.property.type {
      case .map: "SELECT value FROM \(layout.child) WHERE owner = ?1 ORDER BY key"
      case .list: "SELECT value FROM \(layout.child) WHERE owner = ?1 ORDER BY position"
      case .one, .set, .linkingObjects: "SELECT \(layout.column) FROM \(table.table) WHERE _key = ?1"
      }
    let statement = try reading.cached(sql)
    statement.bind(place.subject.key, at: 1)
    return try integers(statement)
  }

  /// The embedded objects of a property that were changed where they are, and whether that is all that happened to the
  /// property; nil where it holds none.
  func embeddedChanges(
    of place: EmbeddedPlace, before: Mixed, after: Mixed
  ) throws(StorageError) -> (objects: [ObjectChange], isAll: Bool)? {
    guard let old = embeddedBefore?[place], let new = try embeddedKeys(place) else { return nil }
    let layout = catalog.tables[place.subject.table].properties[place.property]
    guard let table = try embeddedTable(layout) else { return nil }
    let type = catalog.tables[table].objectType
    let (images, now) = (before.embeddedImages(layout), after.embeddedImages(layout))
    var objects: [ObjectChange] = []
    for (index, key) in old.enumerated() where images.indices.contains(index) {
      guard let place = new.firstIndex(of: key), now.indices.contains(place), images[index] != now[place]
      else {
        continue
      }
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
