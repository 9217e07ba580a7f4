import GatehouseFunctions

/// A mistake that only calls of functions by App Services' clients can have.
enum AppServicesError: Error, Hashable {
  /// The content has no `name`.
  case functionNotNamed
  /// `baas_request` is missing, or is no Base64 of a JSON object.
  case unreadableRequest
  /// `arguments` is not an array.
  case argumentsNoArray
  /// No HTTPS endpoint has that route and method.
  case endpointNotFound
  /// The request does not bring the proof that the HTTPS endpoint asks for.
  case endpointNotValidated
  /// The call of a function, by its name.
  case function(String, FunctionError)
}
