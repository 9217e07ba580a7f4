import GatehouseAccess
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

// Versions of objects tell that something of them changed. To callers who are not shown all properties, they are told
// nowhere: their entity tags are of what they are shown.
extension Call {
  /// Whether the caller is not shown all properties of objects of the class.
  func hidesProperties(of objectType: String) -> Bool {
    permit?[objectType].hidesSomething == true
  }

  /// Whether what the caller is shown of objects of the class may change though the objects do not: some properties are
  /// hidden, or what links lead to is.
  func showsPart(of objectType: String) -> Bool {
    hidesProperties(of: objectType)
      || permit?.visibility?.conceals(inside: objectType) == true
  }

  /// The state of an object as the caller is shown it, and its version; nil: they are shown none.
  func shown(
    _ type: ObjectType, _ id: Mixed, by reader: Reader
  ) throws -> (state: EntityTag.State, version: Int64)? {
    var json: [UInt8] = []
    let version = try reader.object(
      type.name, id: id, projection: .all(of: type),
      where: try permit?.visibility(of: type.name), under: permit?.visibility, as: .json, into: &json)
    return version.map { (EntityTag.State(showing: json), $0) }
  }

  /// Returns what must hold for a write of an object, or of something inside it.
  func precondition(_ type: ObjectType, _ id: Mixed, in data: DataAccess) throws
    -> GatehouseStorage.Operation.Precondition
  {
    try precondition(type, id, owner: type, in: data)
  }

  /// Returns what must hold for a write of what a path leads to inside an object; `owner` is the class of the object
  /// that changes.
  func precondition(
    _ type: ObjectType, _ id: Mixed, owner: ObjectType, isOwn: Bool = true, in data: DataAccess
  ) throws -> GatehouseStorage.Operation.Precondition {
    let preconditions = try Preconditions(request.fields)
    let precondition = try preconditions.forWriting(owner, data.policies.current.conditionalWrites)
    guard case .version = precondition, showsPart(of: owner.name) else { return precondition }
    guard isOwn, let shown = try shown(type, id, by: data.reader),
      preconditions.matches?.contains(shown.state) == true
    else { return .version([]) }
    return .version([shown.version])
  }
}
