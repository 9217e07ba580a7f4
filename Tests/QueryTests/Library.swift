import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// A schema with properties of many types, and short ways to use it.
enum Library {
  static let schema = Schema([
    ObjectType(
      name: "Book",
      properties: [
        Property(name: "isbn", type: .one(.string, optional: false)),
        Property(name: "title", type: .one(.string, optional: true), index: .fullText),
        Property(name: "pages", type: .one(.int, optional: true)),
        Property(name: "weight", type: .one(.float, optional: true)),
        Property(name: "rating", type: .one(.double, optional: true)),
        Property(name: "price", type: .one(.decimal128, optional: true)),
        Property(name: "lent", type: .one(.bool, optional: false)),
        Property(name: "cover", type: .one(.data, optional: true)),
        Property(name: "printed", type: .one(.date, optional: true)),
        Property(name: "oid", type: .one(.objectID, optional: true)),
        Property(name: "uid", type: .one(.uuid, optional: true)),
        Property(name: "extra", type: .one(.mixed, optional: true)),
        Property(name: "author", type: .one(.object("Author"), optional: true)),
        Property(name: "tags", type: .list(.string, optional: true)),
        Property(name: "scores", type: .list(.int, optional: false)),
        Property(name: "shelves", type: .set(.int, optional: false)),
        Property(name: "names", type: .map(.string, optional: true)),
        Property(name: "notes", type: .list(.mixed, optional: true)),
        Property(name: "readers", type: .list(.object("Author"), optional: false)),
        Property(name: "roles", type: .map(.object("Author"), optional: true)),
        Property(name: "place", type: .one(.object("Place"), optional: true)),
        Property(name: "due back", type: .one(.date, optional: true)),
      ], primaryKey: "isbn"),
    ObjectType(
      name: "Author",
      properties: [
        Property(name: "name", type: .one(.string, optional: false)),
        Property(name: "born", type: .one(.date, optional: true)),
        Property(name: "mentor", type: .one(.object("Author"), optional: true)),
        Property(name: "books", type: .linkingObjects(objectType: "Book", property: "author")),
      ]),
    ObjectType(
      name: "Place", kind: .embedded,
      properties: [
        Property(name: "type", type: .one(.string, optional: false)),
        Property(name: "coordinates", type: .list(.double, optional: false)),
      ]),
  ])

  static func plan(_ filter: String, _ arguments: [Value] = []) throws(QueryError) -> Plan {
    try Plan(
      request: QueryRequest(filter: filter, arguments: arguments), schema: schema, objectType: "Book")
  }

  /// The predicate as the language writes it.
  static func text(_ filter: String, _ arguments: [Value] = []) throws(QueryError) -> String {
    try plan(filter, arguments).predicate.text(in: schema)
  }
}
