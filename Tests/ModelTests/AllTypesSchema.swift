import GatehouseBSON
import GatehouseModel

/// A schema with one of everything.
enum AllTypesSchema {
  static let schema = Schema([
    ObjectType(
      name: "Person", properties: [Property(name: "id", type: .one(.string, optional: false))],
      primaryKey: "id"),
    ObjectType(name: "Note", properties: [Property(name: "text", type: .one(.string, optional: true))]),
    ObjectType(
      name: "Token", properties: [Property(name: "_id", type: .one(.objectID, optional: false))],
      primaryKey: "_id"),
    ObjectType(
      name: "Point", kind: .embedded,
      properties: [
        Property(name: "x", type: .one(.double, optional: false)),
        Property(name: "y", type: .one(.double, optional: false), defaultValue: .int64(7)),
        Property(name: "label", type: .one(.string, optional: true)),
        Property(name: "next", type: .one(.object("Point"), optional: true)),
      ]),
  ])

  /// A class `C` with one property `p` of that type, and the schema to read it with.
  static func objectType(_ type: PropertyType) -> ObjectType {
    ObjectType(name: "C", properties: [Property(name: "p", type: type)])
  }

  static let objectID = ObjectID(high: 0x507f_1f77_bcf8_6cd7, low: 0x9943_9011)
  static let uuid = UUID(high: 0x1234_5678_9abc_def0, low: 0x1122_3344_5566_7788)
}
