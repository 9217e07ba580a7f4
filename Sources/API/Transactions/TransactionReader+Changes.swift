import GatehouseBSON
import GatehouseModel
import GatehouseStorage

// Operations on what is inside an object: `{"op": "map.set", "class": …, "id": …, "path": "names", "key": "de",
// "value": "Japan"}`. The path is names with slashes between, or an array of segments.
extension TransactionReader {
  /// The operations, each with the members that it takes beside those that all have.
  static let changes: [String: [String]] = [
    "property.set": ["value"], "property.remove": [],
    "map.set": ["key", "value"], "map.remove": ["key"], "map.merge": ["value", "uniquing"], "map.clear": [],
    "list.insert": ["index", "values"], "list.append": ["values"], "list.set": ["index", "value"],
    "list.remove": ["index", "count"], "list.move": ["from", "to"], "list.clear": [],
    "set.add": ["value"], "set.remove": ["value"], "set.union": ["values"], "set.subtract": ["values"],
    "set.intersect": ["values"], "set.clear": [],
  ]

  func change(_ name: String) throws(APIError) -> Item {
    try allow(["op", "class", "id", "path", "ifVersion"] + (Self.changes[name] ?? []))
    let type = try objectType()
    let id = try identifier(type)
    var segments = try path()
    let collection = try resourcePath(segments, of: type)
    guard Self.fits(name, collection.type) else { throw memberError("path", .pathOfWrongType) }
    switch name {
    case "map.set", "map.remove": segments.append(try text("key"))
    case "list.set": segments.append(String(try integer("index")))
    default: break
    }
    let path = try resourcePath(segments, of: type)
    let owner = schema[path.ownerType] ?? type
    let change = try change(name, path)
    let operation = GatehouseStorage.Operation.change(
      objectType: type.name, id: id, path: path, change: change, precondition: try precondition(owner))
    return item(operation, named: name, of: owner, in: members["values"] == nil ? "value" : "values")
  }

  private func change(_ name: String, _ path: ResourcePath) throws(APIError) -> PropertyChange {
    switch name {
    case "property.set", "map.set", "list.set": return .assign(try draft("value", as: path.type, in: path))
    case "map.merge": return .merge(try entries(path), try uniquing())
    case "list.insert": return .insert(try drafts(path), at: try integer("index"))
    case "list.append": return .insert(try drafts(path), at: nil)
    case "list.remove":
      let count = members["count"] == nil ? 1 : try integer("count")
      guard count >= 0 else { throw memberError("count", .memberOfWrongType) }
      return .removeElements(from: try integer("index"), count: count)
    case "list.move": return .move(from: try integer("from"), to: try integer("to"))
    case "set.add": return .union([try draft("value", as: path.type.elementType ?? path.type, in: path)])
    case "set.remove":
      return .subtract([try draft("value", as: path.type.elementType ?? path.type, in: path)])
    case "set.union": return .union(try drafts(path))
    case "set.subtract": return .subtract(try drafts(path))
    case "set.intersect": return .intersect(try drafts(path))
    // A property that cannot be null cannot be removed either.
    case "property.remove":
      if case .one = path.type, path.isProperty {
        _ = try located("path") { () throws(ValidationError) in try path.type.draft(from: .null, in: schema) }
      }
      return .remove
    default: return .remove
    }
  }

  private static func fits(_ name: String, _ type: PropertyType) -> Bool {
    switch (name.prefix { $0 != "." }, type) {
    case (_, .linkingObjects): false
    case ("property", _), ("map", .map), ("list", .list), ("set", .set): true
    // The value of a mixed property is not known before.
    case ("map", .one(.mixed, _)), ("list", .one(.mixed, _)): !name.hasSuffix(".clear")
    default: false
    }
  }

  private func path() throws(APIError) -> [String] {
    switch try member("path") {
    case .string(let text):
      return text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    case .array(let values):
      var segments: [String] = []
      for value in values {
        guard case .string(let segment) = value else { throw memberError("path", .memberOfWrongType) }
        segments.append(segment)
      }
      return segments
    default: throw memberError("path", .memberOfWrongType)
    }
  }

  private func resourcePath(_ segments: [String], of type: ObjectType) throws(APIError) -> ResourcePath {
    do throws(PathError) { return try ResourcePath(segments, of: type, in: schema) } catch {
      throw memberError("path", .path(error))
    }
  }

  private func integer(_ name: String) throws(APIError) -> Int {
    guard let integer = try member(name).integer else { throw memberError(name, .memberOfWrongType) }
    return integer
  }

  private func draft(
    _ name: String, as type: PropertyType, in path: ResourcePath
  ) throws(APIError) -> DraftValue {
    let value = try member(name)
    return try located(name) { () throws(ValidationError) in
      try type.draft(from: value, in: schema, of: path.ownerType)
    }
  }

  private func drafts(_ path: ResourcePath) throws(APIError) -> [DraftValue] {
    guard case .array(let values) = try member("values") else {
      throw memberError("values", .memberOfWrongType)
    }
    let element = path.type.elementType ?? path.type
    var drafts: [DraftValue] = []
    for (index, value) in values.enumerated() {
      drafts.append(
        try located("values/\(index)") { () throws(ValidationError) in
          try element.draft(from: value, in: schema, of: path.ownerType)
        })
    }
    return drafts
  }

  private func entries(_ path: ResourcePath) throws(APIError) -> [DraftValue.Entry] {
    var map = path.type
    if case .one(.mixed, _) = path.type { map = .map(.mixed, optional: true) }
    guard case .map(let entries) = try draft("value", as: map, in: path) else {
      throw memberError("value", .memberOfWrongType)
    }
    return entries
  }

  private func uniquing() throws(APIError) -> PropertyChange.Uniquing {
    guard members["uniquing"] != nil else { return .new }
    guard let uniquing = PropertyChange.Uniquing(rawValue: try text("uniquing")) else {
      throw memberError("uniquing", .memberOfWrongType)
    }
    return uniquing
  }
}
