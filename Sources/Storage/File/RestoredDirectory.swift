import Glibc

/// A data directory that a backup is being put into, held by this process.
///
/// The files are put into the folder `restoring` first, and moved from there, the store last. As long as that folder is there,
/// no store opens the directory: a restore that was killed leaves nothing that could be taken for a whole one, or for a new one.
public struct RestoredDirectory: ~Copyable {
  public static let stagingName = "restoring"

  private let directory: DataDirectory

  /// Creates the directory where there is none.
  public init(_ path: String) throws(StorageError) {
    directory = try DataDirectory(path, isRestored: true)
  }

  public var path: String { directory.path }
  /// The folder that is moved from.
  public var staging: String { "\(directory.path)/\(RestoredDirectory.stagingName)" }

  /// Lets another process have the directory.
  public consuming func release() {
    directory.release()
  }
}
