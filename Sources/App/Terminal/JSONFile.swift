import GatehouseBSON

/// A file that holds one JSON text.
enum JSONFile {
  static func value(at path: String) throws(CommandError) -> Value {
    let bytes = try InputFile.contents(of: path)
    do {
      return try Value(json: bytes)
    } catch {
      let lines = bytes.prefix(error.offset).split(separator: 0x0A, omittingEmptySubsequences: false)
      throw .json(path: path, line: lines.count, column: (lines.last?.count ?? 0) + 1, error: error)
    }
  }
}
