public import GatehouseBSON

/// The class whose objects are users' custom data, each by the identifier of its user: App Services' `custom_user_data.json`.
public struct CustomDataSource: Hashable, Sendable {
  public let objectType: String
  /// The property that has the user's identifier.
  public let property: String

  public init(_ objectType: String, property: String) {
    (self.objectType, self.property) = (objectType, property)
  }

  /// Reads the file; nil: it is switched off. Throws `ConfigurationError`.
  public static func source(notation: Value) throws(ConfigurationError) -> CustomDataSource? {
    let members = try ConfigurationMembers(notation)
    try members.refuseOthers(than: [
      "enabled", "mongo_service_name", "database_name", "collection_name", "user_id_field",
      "on_user_creation_function_name", "$schema",
    ])
    guard try members.flag("enabled") ?? false else { return nil }
    guard try members.optionalText("on_user_creation_function_name") ?? "" == "" else {
      throw members.error(
        "on_user_creation_function_name", "A trigger of type AUTHENTICATION for CREATE calls the function.")
    }
    return CustomDataSource(
      try members.text("collection_name"), property: try members.text("user_id_field"))
  }
}
