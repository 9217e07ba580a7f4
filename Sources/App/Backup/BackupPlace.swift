/// Where backups are kept: a directory, or a bucket.
protocol BackupPlace: Sendable {
  /// The names of what is in a folder.
  func names(in folder: BackupFolder) async throws -> Set<String>
  /// Reads what is there under a name; throws where there is nothing.
  func read(_ name: String, in folder: BackupFolder) async throws -> [UInt8]
  /// Keeps bytes under a name: all of them, or nothing. They are there for good when this returns.
  func write(_ bytes: [UInt8], as name: String, in folder: BackupFolder) async throws
  /// Removes what is there under a name, if it is.
  func remove(_ name: String, in folder: BackupFolder) async throws
  /// As it is said to people.
  func path(of name: String, in folder: BackupFolder) -> String
}

/// The folders of a place.
enum BackupFolder: String, CaseIterable, Sendable {
  /// Manifests, by time and version.
  case backups
  /// Pieces of what was backed up, at most about a mebibyte each.
  case blobs
}
