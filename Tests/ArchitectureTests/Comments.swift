/// The first lines of the comments of a file, and of the paragraphs in them; of a contract's summaries and descriptions.
struct Comments {
  /// The numbers of the lines, from 1, and their texts without the comment's mark.
  private let beginnings: [(line: Int, text: Substring)]

  init(in file: SourceFile) {
    let numbered = file.lines.enumerated().map { ($0.offset + 1, Substring($0.element)) }
    if file.path.hasSuffix(".yaml") {
      beginnings = Comments.descriptions(numbered)
      return
    }
    let mark: Character = ["swift", "js", "h", "c"].contains { file.path.hasSuffix(".\($0)") } ? "/" : "#"
    var beginnings: [(line: Int, text: Substring)] = []
    var isInParagraph = false
    for (number, line) in numbered {
      let text = Comments.comment(line, mark)
      if let text, !text.isEmpty, !isInParagraph { beginnings.append((number, text)) }
      isInParagraph = text.map { !$0.isEmpty } ?? false
    }
    self.beginnings = beginnings
  }

  /// The numbers of the lines that have no subject, or make their reader look for one.
  var riddles: [Int] { beginnings.filter { Comments.isRiddle($0.text) }.map(\.line) }

  static func isRiddle(_ text: some StringProtocol) -> Bool {
    let words = text.split(separator: " ", maxSplits: 3).prefix(3).map { String($0.filter(\.isLetter)) }
    guard let first = words.first else { return false }
    let pairs = [["So", "many"], ["That", "of"], ["One", "of"], ["One", "for"]]
    return ["What", "Likewise", "Of", "Whoever", "Those", "Nor"].contains(first)
      || pairs.contains(Array(words.prefix(2))) || words == ["There", "is", "none"]
  }

  /// Returns the text of a line that is only a comment; nil for others.
  private static func comment(_ line: Substring, _ mark: Character) -> Substring? {
    let text = line.drop { $0 == " " }
    guard text.hasPrefix(mark == "/" ? "//" : "#"), !text.hasPrefix("#!") else { return nil }
    return text.drop { $0 == mark }.drop { $0 == " " }
  }

  private static func descriptions(_ lines: [(Int, Substring)]) -> [(line: Int, text: Substring)] {
    var found: [(line: Int, text: Substring)] = []
    var isBlock = false
    for (number, line) in lines {
      if isBlock { found.append((number, line.drop { $0 == " " })) }
      isBlock = false
      for key in ["summary: ", "description: "] {
        guard let range = line.firstRange(of: key) else { continue }
        let text = line[range.upperBound...].drop { "'\"".contains($0) }
        isBlock = text.first == "|" || text.first == ">"
        if !isBlock { found.append((number, text)) }
      }
    }
    return found
  }
}
