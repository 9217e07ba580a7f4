import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

/// The content of a PATCH inside an object: entries for a map, a merge patch for an embedded object, and for lists
/// and sets what happens to them: `{"move": {"from": 5, "to": 2}}`, `{"union": […]}`.
struct PropertyPatch {
  private let value: Value
  private let uniquing: String?

  init(_ value: Value, _ uniquing: String?) {
    self.value = value
    self.uniquing = uniquing
  }

  func change(of path: ResourcePath, _ call: Call) throws -> PropertyChange {
    switch path.type {
    case .map(let element, let optional):
      return try merge(.map(element, optional: optional), of: path.ownerType, call)
    case .one(.mixed, _): return try merge(.map(.mixed, optional: true), of: path.ownerType, call)
    case .one(.object(let name), _): return try embedded(name, call)
    case .list: return try move()
    case .set: return try algebra(path.type, call)
    case .one, .linkingObjects: throw APIError.methodNotAllowed(allow: path.methods)
    }
  }

  private func merge(_ type: PropertyType, of owner: String, _ call: Call) throws -> PropertyChange {
    guard let uniquing = PropertyChange.Uniquing(rawValue: uniquing ?? "new") else {
      throw APIError.invalidParameter(.uniquing)
    }
    let draft = try Content.locating { () throws(ValidationError) in
      try type.draft(from: value, in: call.schema, of: owner)
    }
    guard case .map(let entries) = draft else { throw APIError.invalidPatch }
    return .merge(entries, uniquing)
  }

  private func embedded(_ name: String, _ call: Call) throws -> PropertyChange {
    guard let type = call.schema[name], type.isEmbedded else {
      throw APIError.methodNotAllowed(allow: [.get, .head, .put, .delete, .options])
    }
    let patch = try Content.locating { () throws(ValidationError) in
      try type.patch(from: value, in: call.schema)
    }
    return .patch(patch)
  }

  private func move() throws(APIError) -> PropertyChange {
    guard case .document(let document) = value, document.elements.count == 1,
      case .document(let move)? = document["move"], move.elements.count == 2,
      let from = move["from"]?.integer, let to = move["to"]?.integer
    else { throw .invalidPatch }
    return .move(from: from, to: to)
  }

  private func algebra(_ type: PropertyType, _ call: Call) throws(APIError) -> PropertyChange {
    guard case .document(let document) = value, document.elements.count == 1,
      let given = document.elements.first,
      case .array(let values) = given.value
    else { throw .invalidPatch }
    let drafts = try call.drafts(values, of: type)
    switch given.key {
    case "union": return .union(drafts)
    case "subtract": return .subtract(drafts)
    case "intersect": return .intersect(drafts)
    default: throw .invalidPatch
    }
  }
}

extension Value {
  /// A whole number.
  var integer: Int? {
    switch self {
    case .int32(let int): Int(int)
    case .int64(let int): Int(exactly: int)
    default: nil
    }
  }
}
