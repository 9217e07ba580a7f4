import GatehouseModel
import GatehouseStorage

/// Finds the embedded objects that changes are about: they are logged as parts of the objects that they belong to, by images without
/// keys. Those of a list are told apart by their places between the elements that stayed as they were.
struct EmbeddedChanges {
  private let realm: LiveRealm
  private let schema: Schema
  private(set) var objects: [RowAddress: ObjectChanges] = [:]

  init(in realm: LiveRealm) {
    self.realm = realm
    schema = realm.schema
  }

  /// Whether objects of a class have embedded ones.
  func mayConcern(_ table: Int) -> Bool {
    schema.objectTypes[table].properties.contains { isEmbedding($0) }
  }

  private func isEmbedding(_ property: Property) -> Bool {
    property.type.linkTarget.flatMap { schema[$0] }?.isEmbedded == true
  }

  /// Adds what an update of an object has changed inside of its embedded ones.
  mutating func add(_ change: LoggedChange, of row: RowAddress) {
    guard change.operation == .update else { return }
    for (index, property) in schema.objectTypes[row.table].properties.enumerated() where isEmbedding(property)
    {
      if let before = change.before?.entry(property.storedName),
        let after = change.after?.entry(property.storedName)
      {
        compare(before, with: after, of: index, in: row)
      }
      for collection in change.elements where collection.property == property.storedName {
        for element in collection.elements {
          guard let before = element.before, let after = element.after else { continue }
          switch element.place {
          case .index(let place):
            let rows = rows(of: index, row)
            if rows.indices.contains(place) { compare(before, with: after, of: rows[place]) }
          case .key(let key): compare(before, with: after, of: entries(of: index, row)[key])
          case .move, .member: break
          }
        }
      }
    }
  }

  private mutating func compare(_ before: Mixed, with after: Mixed, of property: Int, in row: RowAddress) {
    switch (schema.objectTypes[row.table].properties[property].type, before, after) {
    case (.one, _, _): compare(before, with: after, of: rows(of: property, row).first)
    case (.list, .list(let old), .list(let new)):
      let rows = rows(of: property, row)
      guard new.count == rows.count else { return }
      let (most, shift) = (min(old.count, new.count), old.count - new.count)
      let head = zip(old, new).prefix { $0 == $1 }.count
      let tail = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
      // Elements have only come, or only gone.
      if shift != 0, head + tail >= most { return }
      // Where others have come or gone as well, at one end mostly.
      let moved = new.indices.count { old.indices.contains($0 + shift) && old[$0 + shift] == new[$0] }
      let same = zip(old, new).count { $0 == $1 }
      let offset = moved > same ? shift : 0
      for index in new.indices where old.indices.contains(index + offset) {
        compare(old[index + offset], with: new[index], of: rows[index])
      }
    case (.map, .dictionary, .dictionary(let new)):
      let rows = entries(of: property, row)
      for entry in new {
        if let old = before.entry(entry.key) { compare(old, with: entry.value, of: rows[entry.key]) }
      }
    default: break
    }
  }

  /// Compares two images of an embedded object.
  private mutating func compare(_ before: Mixed, with after: Mixed, of row: RowAddress?) {
    guard let row, case .dictionary = before, case .dictionary(let entries) = after else { return }
    for entry in entries {
      guard let old = before.entry(entry.key), old != entry.value else { continue }
      objects[row, default: ObjectChanges()].properties.insert(entry.key)
      let properties = schema.objectTypes[row.table].properties
      if let index = properties.firstIndex(where: { $0.storedName == entry.key }),
        isEmbedding(properties[index])
      {
        compare(old, with: entry.value, of: index, in: row)
      }
    }
  }

  private func rows(of property: Int, _ row: RowAddress) -> [RowAddress] {
    realm.linkTargets(of: property, row)
  }

  private func entries(of property: Int, _ row: RowAddress) -> [String: RowAddress] {
    let (keys, values) = realm.read { reader throws(StorageError) in
      (try reader.keys(property, of: row), try reader.elements(property, of: row))
    }
    return Dictionary(zip(keys, values).compactMap { key, value in realm.row(of: value).map { (key, $0) } }) {
      $1
    }
  }
}
