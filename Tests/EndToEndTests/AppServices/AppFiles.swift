import FoundationEssentials

/// Files of an app in a data directory.
enum AppFiles {
  static func write(_ text: String, to path: String, _ folder: Folder) throws {
    let full = "\(folder.data)/\(path)"
    let directory = full.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try text.write(toFile: full, atomically: true, encoding: .utf8)
  }
}
