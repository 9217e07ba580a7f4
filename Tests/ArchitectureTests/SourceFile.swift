import FoundationEssentials
import GatehouseTestSupport

/// A Swift file of the package, as the rules look at it.
struct SourceFile: Sendable {
  /// From the root of the package, such as `Sources/BSON/Value.swift`.
  let path: String
  let lines: [String]

  /// The target that it belongs to.
  var target: String { String(path.split(separator: "/")[1]) }

  /// The modules that it imports, in order: those of the package by their folders, without the prefix that Package.swift
  /// gives them.
  var imports: [String] {
    let declaration = /^(?:@\w+ +)*(?:(?:public|package|internal|private) +)?import +(?:\w+ +)?(\w+)/
    return lines.compactMap { line in
      // Matching every line would take its time; imports are not indented.
      guard let first = line.utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "/") else {
        return nil
      }
      return line.firstMatch(of: declaration).map { String($0.1).replacing("Gatehouse", with: "") }
    }
  }

  /// The lines with that character that are not comments, with their numbers.
  func code(with character: Unicode.Scalar) -> [(number: Int, text: String)] {
    let byte = UInt8(ascii: character)
    return lines.enumerated().compactMap { offset, line in
      guard line.utf8.contains(byte), !line.utf8.drop(while: { $0 == 0x20 }).starts(with: "//".utf8) else {
        return nil
      }
      return (offset + 1, line)
    }
  }
}

extension SourceFile {
  /// The root of the package.
  static let root = Machine.root

  /// All Swift files below a folder of the package, sorted.
  static func all(in folder: String) throws -> [SourceFile] {
    try everything.get().filter { $0.path.hasPrefix("\(folder)/") }
  }

  /// Read once.
  private static let everything = Result { try read("Sources") + read("Tests") }

  private static func read(_ folder: String) throws -> [SourceFile] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
      .filter { $0.hasSuffix(".swift") }.sorted()
      .map { path in
        let text = try String(contentsOfFile: "\(root)/\(folder)/\(path)", encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return SourceFile(path: "\(folder)/\(path)", lines: lines)
      }
  }

  /// All other files of text whose paths begin so, sorted, and the Swift files of no target.
  static func others(in prefix: String) throws -> [SourceFile] {
    let top = String(prefix.prefix { $0 != "/" })
    return try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(top)").sorted()
      .map { "\(top)/\($0)" }.filter {
        $0.hasPrefix(prefix) && !$0.hasSuffix(".md") && (top == "Scripts" || !$0.hasSuffix(".swift"))
      }
      .compactMap { path in
        guard let text = try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return SourceFile(path: path, lines: lines)
      }
  }

  /// The pages whose paths begin so, sorted.
  static func pages(in prefix: String) throws -> [SourceFile] {
    let isPage = prefix.hasSuffix(".md")
    let paths =
      isPage ? [""] : try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(prefix)").sorted()
    return try paths.map { isPage ? prefix : "\(prefix)/\($0)" }.filter { $0.hasSuffix(".md") }.map { path in
      let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      return SourceFile(path: path, lines: lines)
    }
  }

  static func folders(in folder: String) throws -> Set<String> {
    Set(
      try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").filter { !$0.hasSuffix(".md") }
    )
  }
}
