import GatehouseBSON
import GatehouseHTTP

// The classes that requests to an endpoint name.
extension Endpoint {
  /// The endpoints that the database of a group has: those of objects, and of the database itself.
  static let ofGroups =
    [
      Feature.schema, .collections, .properties, .transactions, .events, .audit, .triggers, .cluster,
    ].flatMap(\.endpoints)
    + [
      .metrics, .listTasks, .beginTask, .listSlowQueries, .runDataAction, .callAppFunction,
      .streamAppFunction,
    ]

  /// Whether it is about the classes of all groups.
  var coversGroups: Bool {
    self === Endpoint.readSchema || self === Endpoint.applyRoles || self === Endpoint.createKey
  }

  var namesClassesInContent: Bool {
    [
      Endpoint.applySchema, .runTransaction, .runQuery, .runDataAction, .callAppFunction, .openStream,
      .createTicket,
    ].contains(self)
  }

  /// Returns the classes that a content names. Throws ``GroupError/several`` where it is about all.
  func namedClasses(in content: Value) throws(GroupError) -> [String] {
    switch self {
    case Endpoint.runTransaction: return NamedClasses.ofTransaction(content)
    case Endpoint.runQuery: return NamedClasses.ofQuery(content)
    case Endpoint.runDataAction: return NamedClasses.ofCommand(content)
    case Endpoint.callAppFunction: return NamedClasses.ofCall(content)
    case Endpoint.openStream: return try NamedClasses.ofSubscriptions(content)
    case Endpoint.createTicket: return try NamedClasses.ofTicket(content)
    default: return []
    }
  }

  /// Returns the classes that a path and its parameters name. Throws ``GroupError/several`` where it is about all.
  func namedClasses(in request: Request, _ captures: [String]) throws(GroupError) -> [String] {
    switch self {
    case Endpoint.readChanges:
      guard let name = request.target.value(of: "class") else { throw .several }
      return [name]
    case Endpoint.freezeVersion: throw .several
    case Endpoint.countObjects:
      if isForStream(request) || request.target.value(of: "at") != nil { throw .several }
      return []
    case Endpoint.streamAppFunction:
      return request.commandInURL.map(NamedClasses.ofCall) ?? []
    default:
      let isOfClass = ["/v1/collections/{class}", "/v1/schema/{class}"].contains { template.hasPrefix($0) }
      return isOfClass ? [captures[0]] : []
    }
  }
}

extension Request {
  /// The command in the URL of a client of App Services that streams; nil: there is none.
  var commandInURL: Value? {
    let text = target.value(of: "baas_request") ?? target.value(of: "stitch_request")
    return text.flatMap { Base64.decode($0) }.flatMap { try? Value(json: $0) }
  }
}

extension Target {
  /// Returns the value of a parameter; nil: there is none of that name.
  func value(of name: String) -> String? {
    (try? parameters())?.first { $0.name == name }?.value
  }
}
