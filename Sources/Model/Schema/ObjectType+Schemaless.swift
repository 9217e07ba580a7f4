extension ObjectType {
  /// The name of the primary key of schemaless classes, which is a mixed value.
  public static let documentIDName = "_id"
  /// The name, in the store, of the map that holds the fields of schemaless classes' objects.
  public static let fieldsName = "_fields"

  /// Makes a class whose objects are documents: `_id` of any type, and any fields.
  public static func schemaless(_ name: String) -> ObjectType {
    ObjectType(
      name: name, kind: .schemaless,
      properties: [
        Property(name: documentIDName, type: .one(.mixed, optional: true)),
        Property(name: fieldsName, type: .map(.mixed, optional: true)),
      ], primaryKey: documentIDName)
  }

  /// Where the map of fields is among the properties of a class of that kind.
  static func fieldsIndex(in properties: [Property], of kind: Kind) -> Int? {
    kind == .schemaless ? properties.firstIndex { $0.storedName == fieldsName } : nil
  }
}
