public import GatehouseBSON

/// App Services' `data_sources/NAME/config.json`.
public struct DataSourceConfiguration: Hashable, Sendable {
  /// The type that App Services gives its own clusters.
  public static let usualType = "mongodb-atlas"

  /// The name by which functions and clients ask for it.
  public let name: String
  /// Whether it is a database (``isDatabase(_:)``).
  public let isDatabase: Bool

  /// `config` is about App Services' own cluster.
  private static let members: Set<String> = [
    "$schema", "_id", "id", "name", "type", "config", "secret_config", "version", "last_modified",
  ]

  /// Throws `ConfigurationError` for members that are not known, and where a name is none. Of a data source that is no database only
  /// that is known.
  public init(notation: Value) throws(ConfigurationError) {
    let members = try ConfigurationMembers(notation)
    isDatabase = Self.isDatabase(try members.optionalText("type") ?? "")
    name = try members.optionalText("name") ?? ""
    guard isDatabase else { return }
    try members.refuseOthers(than: Self.members)
    guard !name.isEmpty else { throw members.error("name", "A data source has a name.") }
  }

  /// Returns whether a type is that of a database, and not of files of a data lake or another company's service; empty: none is said.
  public static func isDatabase(_ type: String) -> Bool { ["", "mongodb", usualType].contains(type) }
}
