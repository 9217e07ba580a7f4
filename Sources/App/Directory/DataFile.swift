/// A file or folder that a data directory may have beside its store, and that is part of a backup. People write them, but for the
/// archives of the audit trail.
///
/// All paths to them are made here, so that no backup lacks what a server reads. The folders `apps` and `groups` are none of them: each app, and
/// each group of an app's classes, is a data directory of its own.
enum DataFile: String, CaseIterable {
  case app = "realm_config.json"
  case audit, auth, environments, formats, functions
  case dataSources = "data_sources"
  case settings = "gatehouse.json"
  case groups = "groups.json"
  case hosting
  case endpoints = "http_endpoints"
  case migrations
  case schema = "schema.json"
  case triggers, values

  /// The name in the data directory.
  var name: String { rawValue }

  /// Returns the path in a data directory.
  func path(in directory: String) -> String { "\(directory)/\(name)" }
}
