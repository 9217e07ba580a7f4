import FoundationEssentials

/// A Swift file of the package, as the rules look at it.
struct SourceFile: Sendable {
  /// From the root of the package, such as `Sources/BSON/Value.swift`.
  let path: String
  let lines: [String]

  /// The target that it belongs to.
  var target: String { String(path.split(separator: "/")[1]) }

  /// The modules that it imports, in order.
  var imports: [String] {
    let declaration = /^(?:@\w+ +)*(?:(?:public|package|internal|private) +)?import +(?:\w+ +)?(\w+)/
    return lines.compactMap { $0.firstMatch(of: declaration).map { String($0.1) } }
  }

  /// The lines that are not comments, with their numbers.
  var code: [(number: Int, text: String)] {
    lines.enumerated().compactMap { offset, line in
      line.drop(while: { $0 == " " }).hasPrefix("//") ? nil : (offset + 1, line)
    }
  }
}

extension SourceFile {
  /// The root of the package.
  static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

  /// All Swift files below a folder of the package, sorted.
  static func all(in folder: String) throws -> [SourceFile] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
      .filter { $0.hasSuffix(".swift") }.sorted()
      .map { path in
        let text = try String(contentsOfFile: "\(root)/\(folder)/\(path)", encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return SourceFile(path: "\(folder)/\(path)", lines: lines)
      }
  }

  static func folders(in folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)"))
  }
}
