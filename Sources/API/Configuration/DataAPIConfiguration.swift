public import GatehouseBSON

/// App Services' `http_endpoints/data_api_config.json`.
public struct DataAPIConfiguration: Hashable, Sendable {
  /// Whether clients get answers; functions always do.
  public var isServed: Bool

  public init(isServed: Bool = true) { self.isServed = isServed }

  private static let members: Set<String> = [
    "$schema", "_id", "id", "disabled", "versions", "return_type", "validation_method", "secret_name",
    "secret_id", "can_evaluate", "run_as_system", "run_as_user_id", "run_as_user_id_script_source",
    "fetch_custom_user_data", "create_user_on_auth", "log_types", "respond_result", "last_modified",
  ]

  /// Throws `ConfigurationError` for members that are not known, and where it keeps out callers whom this server would let in.
  public init(notation: Value) throws(ConfigurationError) {
    let members = try ConfigurationMembers(notation)
    try members.refuseOthers(than: DataAPIConfiguration.members)
    isServed = try members.flag("disabled") != true
    guard isServed else { return }
    switch members.document["can_evaluate"] {
    case nil, .null?, .bool(true)?, .document([:])?, .document(["%%true": .bool(true)])?: break
    case _?:
      throw members.error("can_evaluate", "Who may use the Data API is not asked: rules of classes decide.")
    }
    let validation = try members.optionalText("validation_method") ?? ""
    guard ["", "NO_VALIDATION"].contains(validation) else {
      throw members.error("validation_method", "Requests of the Data API need no proof but a credential.")
    }
    guard try members.texts("versions")?.contains("v1") != false else {
      throw members.error("versions", "The version is v1.")
    }
  }
}
