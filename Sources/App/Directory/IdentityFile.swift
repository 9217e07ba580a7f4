import GatehouseStorage
import Glibc

/// The file that says of which app of a cluster, or group of an app's classes, a data directory is.
enum IdentityFile {
  private static func path(in directory: String) -> String { "\(directory)/cluster" }

  /// Returns the identity; nil: the directory is none's.
  static func identity(in directory: String) -> String? {
    guard let bytes = try? InputFile.contents(of: path(in: directory)) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Throws ``CommandError``.
  static func write(_ identity: String, in directory: String) throws(CommandError) {
    let path = path(in: directory)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw .file(path: path, action: .write, code: errno) }
    defer { close(descriptor) }
    try Output(descriptor: descriptor, path: path).write(Array(identity.utf8))
  }
}
