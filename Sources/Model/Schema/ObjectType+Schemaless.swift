extension ObjectType {
  /// The name of the primary key of schemaless classes, which is a mixed value.
  public static let documentIDName = "_id"
  /// The name, in the store, of the map that holds the fields of schemaless classes' objects.
  public static let fieldsName = "_fields"

  /// Makes a class whose objects are documents: `_id` of any type, and any fields, of which ``Index/field(_:)``s are.
  public static func schemaless(_ name: String, indexes: [Index] = []) -> ObjectType {
    ObjectType(
      name: name, kind: .schemaless,
      properties: [
        Property(name: documentIDName, type: .one(.mixed, optional: true)),
        Property(name: fieldsName, type: .map(.mixed, optional: true)),
      ], primaryKey: documentIDName, indexes: indexes)
  }

  /// Returns the key of a field in the map that holds them; of one that is hidden, a key that no document has.
  public func fieldKey(_ name: String) -> ExactText {
    let key = ExactText(name)
    return hiddenFields.contains(key) ? ExactText(".\(name)") : key
  }

  /// Returns those of the names that are fields of a schemaless class; none where the class has a schema.
  public func fields(among names: Set<String>) -> Set<ExactText> {
    isSchemaless ? Set(names.filter { index(of: $0) == nil }.map { ExactText($0) }) : []
  }

  /// Where the map of fields is among the properties of a class of that kind.
  static func fieldsIndex(in properties: [Property], of kind: Kind) -> Int? {
    kind == .schemaless ? properties.firstIndex { $0.storedName == fieldsName } : nil
  }
}

extension ObjectType.Index {
  /// Makes an index of a schemaless class over the values that a path leads to: `user.name`. Names of fields have no point.
  public static func field(_ path: String) -> ObjectType.Index {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { ExactText(String($0)) }
    return ObjectType.Index([Key(property: 1, path: names)])
  }
}
