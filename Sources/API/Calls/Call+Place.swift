import GatehouseHTTP
import GatehouseModel

extension Call {
  /// The object that the path begins with, and the way from there.
  func place() throws -> (type: ObjectType, id: Mixed, path: ResourcePath) {
    let type = try collectionType()
    let id = try identifier(of: type)
    do {
      return (type, id, try ResourcePath(pathSegments, of: type, in: schema))
    } catch {
      throw APIError.invalidPath(error)
    }
  }
}

extension ResourcePath {
  /// The methods of the resource.
  var methods: [Method] {
    switch type {
    case .linkingObjects: [.get, .head, .options]
    case .list, .set, .one(.mixed, _): [.get, .head, .put, .patch, .post, .delete, .options]
    case .map, .one(.object, _): [.get, .head, .put, .patch, .delete, .options]
    case .one: [.get, .head, .put, .delete, .options]
    }
  }

  func check(_ method: Method) throws(APIError) {
    if case .linkingObjects = type { throw .readOnlyProperty(allow: methods) }
    guard methods.contains(method) else { throw .methodNotAllowed(allow: methods) }
  }
}
