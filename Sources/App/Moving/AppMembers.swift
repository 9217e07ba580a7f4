/// The members of an app's own file, `realm_config.json`.
enum AppMembers {
  /// The members that functions are told (`context.app`).
  static let kept: Set<String> = [
    "config_version", "app_id", "name", "location", "provider_region", "deployment_model",
  ]

  /// All members, with what is to be said of them; nothing where that is empty.
  static let notes = [
    "$schema": "", "app_id": "", "config_version": "", "name": "", "location": "", "provider_region": "",
    "deployment_model": "", "hosting": "", "custom_user_data_config": "", "sync": "",
    "environment": "the environment is the setting functions.environment",
    "allowed_request_origins": "the origins that may send requests are the setting cors.origins",
    "security": "the origins that may send requests are the setting cors.origins",
  ]
}
