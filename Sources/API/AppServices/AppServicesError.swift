import GatehouseFunctions

/// A mistake that only calls of functions by App Services' clients can have.
enum AppServicesError: Error, Hashable {
  /// The content has no `name`.
  case functionNotNamed
  /// `baas_request` is missing, or is no Base64 of a JSON object.
  case unreadableRequest
  /// `arguments` is not an array.
  case argumentsNoArray
  /// The call of a function, by its name.
  case function(String, FunctionError)
}
