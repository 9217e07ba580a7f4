import FoundationEssentials

extension SourceFile {
  static func manifest() throws -> String {
    try String(contentsOfFile: "\(root)/Package.swift", encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(root)/\(path)")
  }
}
