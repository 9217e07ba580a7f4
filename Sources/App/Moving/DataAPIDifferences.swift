import GatehouseBSON

/// The members of App Services' `data_api_config.json` that the Data API here does not follow.
enum DataAPIDifferences {
  /// Returns those of a file by their names, with the difference.
  static func all(in members: Document) -> [(name: String, text: String)] {
    members.elements.compactMap { element in
      text(for: element.key, element.value).map { (element.key, $0) }
    }
  }

  private static func text(for name: String, _ value: Value) -> String? {
    switch (name, value) {
    case ("return_type", .string("EJSON")):
      "answers are relaxed Extended JSON for requests that do not accept application/ejson"
    case ("run_as_system", .bool(true)): "requests have the rights of their callers, not the system's"
    case ("run_as_user_id", .string(let id)) where !id.isEmpty,
      ("run_as_user_id_script_source", .string(let id)) where !id.isEmpty:
      "requests have the rights of their callers, not of a user who is named"
    case ("create_user_on_auth", .bool(false)): "a token of another issuer makes a user"
    case ("log_types", .array(let types)) where !types.isEmpty: "the access log is a setting"
    case ("respond_result", .bool(false)): "answers have the result"
    default: nil
    }
  }
}
