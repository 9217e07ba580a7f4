public import GatehouseModel
public import GatehouseQuery

/// The keys by which SQL orders the objects of a class as a sort pattern orders their documents.
public struct SortPlan: Sendable {
  public let keys: [SortKey]

  /// Nil where the order could be another one: by numbers with NaN, collections, or what is inside of values.
  ///
  /// - Parameter identifiers: the type of all values of a mixed primary key; nil: they have several, or nobody knows.
  public init?(_ pattern: SortPattern, for type: ObjectType, identifiers: Mixed.Rank? = nil) {
    var keys: [SortKey] = []
    for (place, key) in pattern.keys.enumerated() {
      guard key.path.count == 1, let (index, element) = type.single(key.path[0]) else { return nil }
      switch element {
      case .bool, .int, .string, .objectID: break
      case .mixed where index == type.primaryKeyIndex:
        switch identifiers {
        // Both languages have the same order within each of these types, and different ones of the types themselves.
        case .bool, .numeric, .string, .objectID, .uuid: break
        case .null, .data, .date, .link, .list, .dictionary, nil: return nil
        }
      // Stored dates have nanoseconds, which documents may show cut to milliseconds: what is equal there may be ordered here.
      case .date where place == pattern.keys.count - 1: break
      case .date, .float, .double, .decimal128, .data, .uuid, .mixed, .object: return nil
      }
      let path = KeyPath(objectType: type.name, hops: [], end: .value(property: index), type: element)
      keys.append(SortKey(path: path, ascending: key.isAscending))
      // No two objects have one.
      if index == type.primaryKeyIndex { break }
    }
    self.keys = keys
  }
}

extension SortPattern {
  /// Whether documents are sorted by `_id` before anything else.
  public var beginsWithID: Bool { keys[0].path == ["_id"] }
}

extension ObjectType {
  /// The place of a property that has one value, by its name in documents, and the type of the value. The primary key is `_id`
  /// there, and nothing else.
  func single(_ name: String) -> (Int, ElementType)? {
    let isID = name == "_id"
    guard let index = isID ? primaryKeyIndex : index(of: name), isID || index != primaryKeyIndex,
      case .one(let element, _) = properties[index].type
    else { return nil }
    return (index, element)
  }
}
