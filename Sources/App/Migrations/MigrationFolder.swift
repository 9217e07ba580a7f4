/// The folder `migrations` of a data directory: steps that are applied in the order of their numbers, each once.
struct MigrationFolder {
  let files: [MigrationFile]

  /// Reads the files; where there is no folder, there are none. Throws ``MigrationError`` or ``CommandError``.
  init(_ dataDirectory: String) throws {
    let folder = DataFile.migrations.path(in: dataDirectory)
    var files: [MigrationFile] = []
    for name in try FolderContents.names(in: folder) where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      guard let number = Self.number(of: name) else { throw MigrationError.illegalName(path) }
      files.append(
        MigrationFile(
          path: path, name: String(name.dropLast(".json".count)), number: number,
          bytes: try InputFile.contents(of: path)))
    }
    self.files = files.sorted { $0.number < $1.number }
    for (file, next) in zip(self.files, self.files.dropFirst()) where file.number == next.number {
      throw MigrationError.repeatedNumber(file.path, next.path)
    }
  }

  /// The number of `0001_name.json`, from 1; nil: it is called otherwise.
  private static func number(of name: String) -> Int? {
    let parts = name.dropLast(".json".count).split(
      separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
      parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(parts[0]).flatMap { $0 > 0 ? $0 : nil }
  }
}
