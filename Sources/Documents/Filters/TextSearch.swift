import GatehouseBSON
import GatehouseQuery

/// The operand of `$text`. Words are those of the full-text indexes of classes, as they are: without stems and stop words.
struct TextSearch: Sendable {
  /// Any of them has to be there, those of phrases included; folded.
  let words: [String]
  private let excluded: Set<String>
  /// All of them have to be there, in order, as words; folded.
  private let phrases: [[String]]
  private let excludedPhrases: [[String]]

  private static let mostWords = 200

  init(_ value: Value) throws(DocumentsError) {
    guard let document = value.asDocument else { throw .badValue("$text expects an object") }
    for element in document.elements
    where !["$search", "$language", "$caseSensitive", "$diacriticSensitive"].contains(element.key) {
      throw .badValue("extra fields in $text")
    }
    guard case .string(let text)? = document["$search"] else {
      throw .typeMismatch("\"$search\" had the wrong type. Expected string")
    }
    for name in ["$caseSensitive", "$diacriticSensitive"] {
      switch document[name] {
      case nil, .bool(false)?: break
      case .bool(true)?: throw DocumentsError(.commandNotSupported, "\(name) is not supported in $text")
      case _?: throw .typeMismatch("\(name) requires a boolean value")
      }
    }
    switch document["$language"] {
    case nil, .string?: break
    case _?: throw .typeMismatch("$language requires a string value")
    }
    var words: [String] = []
    var (excluded, phrases, excludedPhrases): (Set<String>, [[String]], [[String]]) = ([], [], [])
    for piece in TextSearch.pieces(of: text) {
      let found = Tokenizer.tokens(in: piece.text.utf8).map(\.text)
      switch (piece.isPhrase, piece.isExcluded) {
      case (true, true): excludedPhrases.append(found)
      case (true, false):
        phrases.append(found)
        words += found
      case (false, true): excluded.formUnion(found)
      case (false, false): words += found
      }
    }
    guard words.count + excluded.count <= TextSearch.mostWords else {
      throw .badValue("a $search has no more than \(TextSearch.mostWords) words")
    }
    (self.words, self.excluded) = (words, excluded)
    (self.phrases, self.excludedPhrases) = (
      phrases.filter { !$0.isEmpty }, excludedPhrases.filter { !$0.isEmpty }
    )
  }

  private struct Piece {
    let text: Substring
    let isPhrase: Bool
    let isExcluded: Bool
  }

  /// Cuts a text at spaces and at quotes; a hyphen before a piece, behind a space, excludes it.
  private static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    var rest = text[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest = rest.dropFirst()
        continue
      }
      let isExcluded = first == "-"
      if isExcluded { rest = rest.dropFirst() }
      if rest.first == "\"" {
        let inner = rest.dropFirst()
        let end = inner.firstIndex(of: "\"") ?? inner.endIndex
        pieces.append(Piece(text: inner[..<end], isPhrase: true, isExcluded: isExcluded))
        rest = inner[end...].dropFirst()
      } else {
        let word = rest.prefix { !$0.isWhitespace && $0 != "\"" }
        pieces.append(Piece(text: word, isPhrase: false, isExcluded: isExcluded))
        rest = rest[word.endIndex...]
      }
    }
    return pieces
  }

  /// Whether the texts of a document, together, are found.
  func matches(_ texts: [String]) -> Bool {
    let fields = texts.map { Tokenizer.tokens(in: $0.utf8).map(\.text) }
    let all = Set(fields.joined())
    guard words.contains(where: all.contains), excluded.isDisjoint(with: all) else { return false }
    return phrases.allSatisfy { phrase in fields.contains { $0.holds(phrase) } }
      && !excludedPhrases.contains { phrase in fields.contains { $0.holds(phrase) } }
  }
}

extension [String] {
  /// Whether other words stand among these, one after the other.
  fileprivate func holds(_ phrase: [String]) -> Bool {
    count >= phrase.count
      && (0...count - phrase.count).contains { Array(self[$0..<$0 + phrase.count]) == phrase }
  }
}
