import GatehouseBSON

/// The folders that are being made, or removed, under names that nobody takes for anything else.
enum DraftFolder {
  /// The beginning of their names.
  static let prefix = ".draft-"

  /// Returns a new path in a folder.
  static func path(in folder: String) -> String { "\(folder)/\(prefix)\(ObjectID.generate())" }
}
