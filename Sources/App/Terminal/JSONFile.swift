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
    try Output.replaceFile(at: path, by: "\(path).draft", with: value.plainJSON)
  }
}
