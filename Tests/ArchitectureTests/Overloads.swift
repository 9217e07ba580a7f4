/// How many functions of a type, its extensions in the target included, have the same name.
enum Overloads {
  /// Returns the numbers by names such as `Permit.requireWritable`. Operators, initializers and subscripts have no names
  /// of their own.
  static func counts(in files: [SourceFile]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for file in files {
      var types: [(indent: Int, name: String)] = []
      for line in file.lines {
        let text = line.drop { $0 == " " }
        guard !text.isEmpty, !text.hasPrefix("//") else { continue }
        let indent = line.utf8.count - text.utf8.count
        types.removeAll { $0.indent >= indent }
        let words = text.split(separator: " ")
        if let name = name(after: typeKeywords, in: words) {
          types.append((indent, name))
        } else if !types.isEmpty, let name = name(after: ["func"], in: words), name.first?.isLetter == true {
          counts[(types.map(\.name) + [name]).joined(separator: "."), default: 0] += 1
        }
      }
    }
    return counts
  }

  private static let typeKeywords: Set<Substring> = [
    "struct", "class", "enum", "protocol", "actor", "extension",
  ]

  /// Returns the name after the first of the keywords, if only attributes and modifiers stand before it.
  private static func name(after keywords: Set<Substring>, in words: [Substring]) -> String? {
    guard let keyword = words.firstIndex(where: { keywords.contains($0) }), keyword + 1 < words.count,
      words[..<keyword].allSatisfy({ $0.allSatisfy { $0.isLetter || "@()_".contains($0) } })
    else { return nil }
    return String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" })
  }
}
