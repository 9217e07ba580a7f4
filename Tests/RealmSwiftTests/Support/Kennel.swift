import GatehouseBSON
import GatehouseModel
import GatehouseQuery

@testable import RealmSwift

/// A schema with properties of all kinds, and objects in memory, which predicates are asked of.
enum Kennel {
  static let schema = GatehouseModel.Schema([
    ObjectType(
      name: "Dog",
      properties: [
        GatehouseModel.Property(name: "id", type: .one(.int, optional: false)),
        GatehouseModel.Property(name: "name", type: .one(.string, optional: true)),
        GatehouseModel.Property(name: "age", type: .one(.int, optional: true)),
        GatehouseModel.Property(name: "weight", type: .one(.float, optional: true)),
        GatehouseModel.Property(name: "height", type: .one(.double, optional: true)),
        GatehouseModel.Property(name: "price", type: .one(.decimal128, optional: true)),
        GatehouseModel.Property(name: "good", type: .one(.bool, optional: true)),
        GatehouseModel.Property(name: "photo", type: .one(.data, optional: true)),
        GatehouseModel.Property(name: "born", type: .one(.date, optional: true)),
        GatehouseModel.Property(name: "oid", type: .one(.objectID, optional: true)),
        GatehouseModel.Property(name: "chip", type: .one(.uuid, optional: true)),
        GatehouseModel.Property(name: "extra", type: .one(.mixed, optional: true)),
        GatehouseModel.Property(name: "owner", type: .one(.object("Person"), optional: true)),
        GatehouseModel.Property(name: "place", type: .one(.object("Place"), optional: true)),
        GatehouseModel.Property(name: "ages", type: .list(.int, optional: true)),
        GatehouseModel.Property(name: "tags", type: .set(.string, optional: false)),
        GatehouseModel.Property(name: "visits", type: .list(.date, optional: false)),
        GatehouseModel.Property(name: "scores", type: .map(.int, optional: true)),
        GatehouseModel.Property(name: "friends", type: .list(.object("Dog"), optional: false)),
        GatehouseModel.Property(name: "roles", type: .map(.object("Person"), optional: true)),
      ], primaryKey: "id"),
    ObjectType(
      name: "Person",
      properties: [
        GatehouseModel.Property(name: "name", type: .one(.string, optional: false)),
        GatehouseModel.Property(name: "age", type: .one(.int, optional: true)),
        GatehouseModel.Property(name: "dogs", type: .linkingObjects(objectType: "Dog", property: "owner")),
      ]),
    ObjectType(
      name: "Place", kind: .embedded,
      properties: [
        GatehouseModel.Property(name: "type", type: .one(.string, optional: false)),
        GatehouseModel.Property(name: "coordinates", type: .list(.double, optional: false)),
      ]),
  ])

  /// The predicate in the query language.
  static func text(_ format: String, _ arguments: [Any] = [], on type: String = "Dog")
    throws(RealmPredicateError)
    -> String
  {
    try RealmPredicate(parsing: format, arguments: arguments).bound(to: type, in: schema).text(in: schema)
  }

  /// Why a format is refused; nil: it is not.
  static func reason(_ format: String) -> String? {
    do throws(RealmPredicateError) {
      _ = try RealmPredicate(parsing: format)
      return nil
    } catch {
      return error.reason
    }
  }

  /// Whether a dog with the values satisfies the predicate.
  static func holds(_ format: String, _ arguments: [Any] = [], _ values: [String: Mixed])
    throws(RealmPredicateError) -> Bool
  {
    let predicate = try RealmPredicate(parsing: format, arguments: arguments).bound(to: "Dog", in: schema)
    return predicate.matches(MemoryDog(values: values))
  }
}

/// A dog alone in the world.
struct MemoryDog: ObjectView {
  let values: [String: Mixed]
  let key = ObjectKey(0)

  private func named(_ property: Int) -> Mixed {
    values[Kennel.schema["Dog"]?.properties[property].name ?? ""] ?? .null
  }

  func value(_ property: Int) -> Mixed { named(property) }

  func elements(_ property: Int) -> [Mixed] {
    switch named(property) {
    case .list(let elements): elements
    case .dictionary(let entries): entries.map(\.value)
    default: []
    }
  }

  func keys(_ property: Int) -> [String] {
    if case .dictionary(let entries) = named(property) { entries.map(\.key) } else { [] }
  }

  func object(_ link: ObjectLink) -> MemoryDog? { nil }
  func linkingObjects(_ objectType: String, _ property: Int) -> [MemoryDog] { [] }
  func value(named name: String) -> Mixed? { values[name] }
  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? { nil }
}
