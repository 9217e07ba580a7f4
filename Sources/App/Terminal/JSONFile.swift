import GatehouseBSON
import GatehouseStorage
import Glibc

/// A file that holds one JSON text.
enum JSONFile {
  static func value(at path: String) throws(CommandError) -> Value {
    try value(of: try InputFile.contents(of: path), at: path)
  }

  static func value(of bytes: [UInt8], at path: String) throws(CommandError) -> Value {
    do {
      return try Value(json: bytes)
    } catch {
      let lines = bytes.prefix(error.offset).split(separator: 0x0A, omittingEmptySubsequences: false)
      throw .json(path: path, line: lines.count, column: (lines.last?.count ?? 0) + 1, error: error)
    }
  }

  /// Takes the place of the content of a file, whole.
  static func write(_ value: Value, to path: String) throws(CommandError) {
    let draft = "\(path).draft"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw .file(path: draft, action: .write, code: errno) }
    defer { close(descriptor) }
    try Output(descriptor: descriptor).write(value.plainJSON)
    guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
      throw .file(path: path, action: .write, code: errno)
    }
  }
}
