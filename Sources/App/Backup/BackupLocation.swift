import GatehouseStorage
import Glibc

/// Where backups are, as it is written on the command line.
enum BackupLocation: Sendable {
  case directory(String)
  case bucket(S3Location)

  /// A path, `file:///path`, or `s3://bucket/prefix`.
  init(_ text: String) throws(CommandError) {
    if text.hasPrefix("s3://") {
      guard let location = S3Location(text) else {
        throw .invalidValue(name: "the place", text: text, expected: S3Location.expectation)
      }
      self = .bucket(location)
    } else if text.hasPrefix("file://") {
      guard text.hasPrefix("file:///") else {
        throw .invalidValue(name: "the place", text: text, expected: "file:// and an absolute path")
      }
      self = .directory(String(text.dropFirst("file://".count)))
    } else {
      self = .directory(text)
    }
  }

  /// Opens the place. The server of a bucket is asked nothing yet.
  func place(_ environment: Environment) throws -> any BackupPlace {
    switch self {
    case .directory(let path): BackupDirectory(path)
    case .bucket(let location): BackupBucket(try S3Client(location, environment))
    }
  }

  /// Throws where backups would be mixed with something else.
  func check() throws {
    guard case .directory(let path) = self else { return }
    guard access("\(path)/\(BackupEntry.store)", F_OK) != 0 else { throw StorageError.backupExists(path) }
    let names = try FolderContents.names(in: path)
    let isOurs = BackupDirectory.isOne(path) || names.allSatisfy { $0 == "lost+found" || $0 == "blobs" }
    guard isOurs else { throw CommandError.notEmpty(path) }
  }
}
