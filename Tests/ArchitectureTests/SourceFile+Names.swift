extension SourceFile {
  /// The folder that it is in, below `Sources`.
  var folder: String {
    path.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
  }

  /// The types that it declares for all files of its target.
  var types: Set<String> {
    Set(
      lines.compactMap { line in
        line.first == " " || line.contains("private ") ? nil : SourceFile.declaredType(in: line)
      })
  }

  /// The types, nested ones included, and the type parameters that it declares.
  var ownNames: Set<String> {
    var names: Set<String> = []
    for line in lines {
      if let type = SourceFile.declaredType(in: line) { names.insert(type) }
      guard let list = line.split(separator: "<", maxSplits: 1).dropFirst().first else { continue }
      for part in list.prefix(while: { $0 != ">" }).split(separator: ",") where part.contains(":") {
        names.insert(String(part.prefix { $0 != ":" }.filter { $0 != " " }))
      }
    }
    return names
  }

  /// The names in the code that begin with a capital and follow no dot, comments and texts left out.
  var names: Set<String> {
    var names: Set<String> = []
    var isInText = false
    for line in lines {
      let code = SourceFile.code(of: line, &isInText)
      for (index, word) in SourceFile.words(in: code) where index == 0 || code[index - 1] != UInt8(ascii: ".")
      {
        if let first = word.first, first.isUppercase { names.insert(word) }
      }
    }
    return names
  }

  private static let keywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

  private static func declaredType(in line: String) -> String? {
    let words = line.split(separator: " ")
    guard let keyword = words.firstIndex(where: { keywords.contains($0) }), keyword + 1 < words.count,
      words[..<keyword].allSatisfy({ $0.allSatisfy { $0.isLetter || $0 == "@" } })
    else { return nil }
    return String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }

  /// The bytes of a line without comments and the contents of texts.
  private static func code(of line: String, _ isInText: inout Bool) -> [UInt8] {
    let bytes = Array(line.utf8)
    let (quote, slash, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"))
    var code: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: [quote, quote, quote]) {
        isInText.toggle()
        index += 3
      } else if isInText {
        index += 1
      } else if bytes[index...].starts(with: [slash, slash]) {
        break
      } else if bytes[index] == quote {
        index += 1
        while index < bytes.count, bytes[index] != quote { index += bytes[index] == backslash ? 2 : 1 }
        index += 1
      } else {
        code.append(bytes[index])
        index += 1
      }
    }
    return code
  }

  /// The identifiers of a line, with where they begin.
  private static func words(in code: [UInt8]) -> [(index: Int, word: String)] {
    var words: [(index: Int, word: String)] = []
    var start: Int?
    for (index, byte) in (code + [0x20]).enumerated() {
      let isPart =
        byte == UInt8(ascii: "_") || Character(Unicode.Scalar(byte)).isLetter
        || (start != nil && Character(Unicode.Scalar(byte)).isNumber)
      if isPart {
        start = start ?? index
      } else if let first = start {
        words.append((first, String(decoding: code[first..<index], as: UTF8.self)))
        start = nil
      }
    }
    return words
  }
}
