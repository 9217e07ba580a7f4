import GatehouseBSON
import GatehouseHTTP

/// A call as Realm's clients write it: `{"name": "sum", "arguments": […]}`, with `service` where it is a command of a data
/// source.
struct AppFunctionCall: Sendable {
  let name: String
  let arguments: [Value]
  /// Nil: a function of the app.
  let service: String?

  init(_ members: Document) throws(AppServicesError) {
    guard case .string(let name)? = members["name"] else { throw .functionNotNamed }
    self.name = name
    switch members["service"] {
    case nil, .null?, .string("")?: service = nil
    case .string(let name)?: service = name
    case _?: service = ""
    }
    switch members["arguments"] {
    case nil, .null?: arguments = []
    case .array(let values)?: arguments = values
    case _?: throw .argumentsNoArray
    }
  }

  /// Reads the call in the query parameter of a client that streams.
  init(streaming call: Call) throws(AppServicesError) {
    guard let text = call.parameters[.baasRequest] ?? call.parameters[.stitchRequest],
      let bytes = Base64.decode(text), case .document(let members)? = try? Value(json: bytes)
    else { throw .unreadableRequest }
    try self.init(members)
  }

  /// The one argument of a command.
  func argument() throws(DataSourceError) -> Document {
    guard arguments.count == 1, case .document(let document) = arguments[0] else { throw .notArguments }
    return document
  }
}
