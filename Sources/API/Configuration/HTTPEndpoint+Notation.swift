public import GatehouseBSON
import GatehouseHTTP

extension HTTPEndpoint {
  private static let members: Set<String> = [
    "_id", "id", "route", "http_method", "function_name", "function_id", "validation_method", "secret_name",
    "secret_id",
    "respond_result", "fetch_custom_user_data", "create_user_on_auth", "disabled", "return_type",
    "last_modified",
  ]

  /// Reads App Services' `http_endpoints/config.json`. `secret` returns the text of a secret by its name, or nil. Throws
  /// `ConfigurationError`.
  public static func endpoints(
    notation: Value, secret: (String) -> String?
  ) throws(ConfigurationError) -> [HTTPEndpoint] {
    guard case .array(let values) = notation else {
      throw ConfigurationError(at: [String](), "Here an array of endpoints should stand.")
    }
    var endpoints: [HTTPEndpoint] = []
    for (index, value) in values.enumerated() {
      let members = try ConfigurationMembers(value, at: [.index(index)])
      let endpoint = try HTTPEndpoint(members, secret)
      if endpoints.contains(where: { $0.collides(with: endpoint) }) {
        throw members.error("route", "Another endpoint has that route and method.")
      }
      endpoints.append(endpoint)
    }
    return endpoints
  }

  private init(
    _ members: ConfigurationMembers, _ secret: (String) -> String?
  ) throws(ConfigurationError) {
    try members.refuseOthers(than: HTTPEndpoint.members)
    let route = try members.text("route")
    guard route.hasPrefix("/"), route.utf8.count <= 1_024, !route.split(separator: "/").isEmpty else {
      throw members.error("route", "A route begins with “/” and has a name.")
    }
    guard route != "/data/v1", !route.hasPrefix("/data/v1/") else {
      throw members.error("route", "The routes below “/data/v1” are the Data API's.")
    }
    let name = try members.text("http_method")
    let method = Method(rawValue: name)
    guard name == "*" || method.map(HTTPEndpoint.methods.contains) == true else {
      throw members.error("http_method", "Methods are GET, POST, PUT, PATCH, DELETE and *.")
    }
    self.init(route, method, calls: try members.text("function_name"))
    validation = try HTTPEndpoint.validation(members, secret)
    isDisabled = try members.flag("disabled") ?? false
    respondsWithResult = try members.flag("respond_result") ?? true
    _ = try members.flag("create_user_on_auth")
    fetchesCustomData = try members.flag("fetch_custom_user_data") ?? false
    switch try members.optionalText("return_type") {
    case nil, "JSON": break
    case "EJSON": returnsExtendedJSON = true
    default: throw members.error("return_type", "A return type is JSON or EJSON.")
    }
  }

  private static let methods: [Method] = [.get, .post, .put, .patch, .delete]

  private static func validation(
    _ members: ConfigurationMembers, _ secret: (String) -> String?
  ) throws(ConfigurationError) -> Validation {
    let method = try members.optionalText("validation_method") ?? "NO_VALIDATION"
    switch method {
    case "NO_VALIDATION", "": return .none
    case "SECRET_AS_QUERY_PARAM", "VERIFY_PAYLOAD":
      let name = try members.text("secret_name")
      // Exports have no secrets: the other endpoints are there before this one's secret is.
      guard let text = secret(name), !text.isEmpty else { return .lacking(secret: name) }
      return method == "VERIFY_PAYLOAD" ? .signature(text) : .secret(text)
    default:
      throw members.error(
        "validation_method", "Methods are NO_VALIDATION, SECRET_AS_QUERY_PARAM and VERIFY_PAYLOAD.")
    }
  }

  /// Whether some request would be for both.
  private func collides(with other: HTTPEndpoint) -> Bool { route == other.route && method == other.method }
}
