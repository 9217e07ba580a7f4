/// The size of a type: the lines of its declaration and of its extensions in one target.
struct TypeSize: Hashable {
  /// Such as `Model.InputReader`.
  let name: String
  let lines: Int

  /// All types of a target, by name. A nested type counts as a part of the outer one, unless it has an extension of its
  /// own, which counts by its full name.
  static func all(in target: String) throws -> [TypeSize] {
    var sizes: [String: Int] = [:]
    for file in try SourceFile.all(in: "Sources/\(target)") {
      var current: (name: String, start: Int)?
      for (number, line) in file.lines.enumerated() {
        if let name = typeName(line) { current = (name, number) }
        // Declarations at the top of a file end with a brace that is not indented.
        if line.hasPrefix("}") || (line.hasSuffix("}") && typeName(line) != nil), let begun = current {
          sizes[begun.name, default: 0] += number - begun.start + 1
          current = nil
        }
      }
    }
    return sizes.map { TypeSize(name: "\(target).\($0.key)", lines: $0.value) }
  }

  /// The type that a line which is not indented declares or extends.
  private static func typeName(_ line: String) -> String? {
    guard let first = line.utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "/") else {
      return nil
    }
    let words = line.split(separator: " ")
    guard
      let keyword = words.firstIndex(where: {
        ["struct", "class", "enum", "protocol", "actor", "extension"].contains($0)
      }), keyword + 1 < words.count
    else { return nil }
    return String(words[keyword + 1].prefix { $0 != ":" && $0 != "<" && $0 != "{" })
  }
}
