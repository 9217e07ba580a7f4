import GatehouseModel
import GatehouseStorage

/// The objects whose links from others have come or gone, as far as a class has a property with the linking objects.
struct LinkChanges {
  /// A property that links.
  private struct Origin: Hashable {
    let table: Int
    let storedName: String
  }

  /// The stored names of the properties that are asked for, by their classes.
  private var origins: [Int: Set<String>] = [:]
  /// The identifiers of the objects that links have come to or gone from.
  private var targets: [Origin: Set<Mixed>] = [:]

  init(in schema: Schema) {
    for type in schema.objectTypes {
      for property in type.properties {
        guard case .linkingObjects(let objectType, let name) = property.type,
          let table = schema.objectTypes.firstIndex(where: { $0.name == objectType }),
          let stored = schema.objectTypes[table][name]?.storedName
        else { continue }
        origins[table, default: []].insert(stored)
      }
    }
  }

  /// Whether links to an object have come or gone.
  func concerns(_ identifier: Mixed, by storedName: String, of table: Int) -> Bool {
    targets[Origin(table: table, storedName: storedName)]?.contains(identifier) == true
  }

  /// Adds the links that a change of an object of the class has made and removed.
  mutating func add(_ change: LoggedChange, of table: Int) {
    guard let names = origins[table] else { return }
    for name in names {
      var counts: [Mixed: Int] = [:]
      change.before?.entry(name)?.forEachLink { counts[$0, default: 0] -= 1 }
      change.after?.entry(name)?.forEachLink { counts[$0, default: 0] += 1 }
      for collection in change.elements where collection.property == name {
        for element in collection.elements {
          element.before?.forEachLink { counts[$0, default: 0] -= 1 }
          element.after?.forEachLink { counts[$0, default: 0] += 1 }
        }
      }
      for (target, count) in counts where count != 0 {
        targets[Origin(table: table, storedName: name), default: []].insert(target)
      }
    }
  }
}

extension Mixed {
  /// Calls `body` with the identifier of each object that the logged value of a property, or of an element, links to.
  fileprivate func forEachLink(_ body: (Mixed) -> Void) {
    switch self {
    case .null: break
    case .list(let elements): for element in elements { element.forEachLink(body) }
    case .dictionary(let entries): for entry in entries { entry.value.forEachLink(body) }
    default: body(self)
    }
  }
}
