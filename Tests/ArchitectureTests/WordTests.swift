import Testing

/// Words of our own do not come back: the field has a word for each of these, and the glossary tells it.
struct WordTests {
  /// In any part of a name, a comment or a page.
  private static let anywhere: Set<String> = [
    "hardship", "hub", "lineup", "outlet", "parcel", "prospect", "scene", "sequel", "sighting", "witness",
    "workbench", "workshop", "zoo",
  ]

  /// As the name of a type: as words of a sentence they are harmless.
  private static let types: Set<String> = [
    "Boxes", "Branch", "Census", "Denial", "Effects", "Fault", "Halt", "Happening", "Passage", "Places",
    "QuietVersions", "Reach", "Refusal", "Story", "Telling", "Vocabulary", "Walk",
  ]

  private static let home = "Tests/ArchitectureTests/WordTests.swift"

  @Test func `no text has a word that the field does not know`() throws {
    for file in try WordTests.files() {
      for (number, line) in file.lines.enumerated() {
        let found = WordTests.words(of: line).intersection(WordTests.anywhere)
        #expect(found.isEmpty, "\(file.path):\(number + 1) \(found.sorted())")
      }
    }
  }

  @Test func `no type has such a name`() throws {
    for file in try WordTests.files() where file.path.hasSuffix(".swift") {
      let found = file.ownNames.intersection(WordTests.types)
      #expect(found.isEmpty, "\(file.path) \(found.sorted())")
    }
  }

  @Test func `words are the parts of names, in the singular`() {
    #expect(
      WordTests.words(of: "let urlOf2Zoos = HTTPHub(scenes, \"a_witness\")").intersection(WordTests.anywhere)
        == ["zoo", "hub", "scene", "witness"])
    #expect(WordTests.words(of: "github scenery lines up").intersection(WordTests.anywhere).isEmpty)
  }

  /// Code, scripts and pages; the examples of the fuzzer's corpus are no texts of ours.
  private static func files() throws -> [SourceFile] {
    let swift = try SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests")
    let others = try ["Sources", "Tests", "Scripts", "openapi"].flatMap(SourceFile.others)
    let pages = try ["Sources", "README.md", "CONTRIBUTING.md"].flatMap(SourceFile.pages)
    return (swift + others + pages).filter { file in
      file.path != home && !file.path.hasPrefix("Tests/Corpus/")
    }
  }

  /// Returns the words of a line in lower case, those of compound names apart, without the `s` of the plural.
  private static func words(of line: String) -> Set<String> {
    var words: Set<String> = []
    var word: [UInt8] = []
    var isCapital = false
    for byte in line.utf8 + [UInt8(ascii: " ")] {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      let isLetter = isUpper || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      if !word.isEmpty, !isLetter || (isUpper && !isCapital) {
        insert(word, into: &words)
        word = []
      } else if word.count > 1, isCapital, isLetter, !isUpper {
        // The last capital of `HTTPHub` begins a word.
        let first = word.removeLast()
        insert(word, into: &words)
        word = [first]
      }
      if isLetter { word.append(byte | 0x20) }
      isCapital = isUpper
    }
    return words
  }

  private static func insert(_ word: [UInt8], into words: inout Set<String>) {
    // Making texts of all words would take its time.
    guard (3...11).contains(word.count) else { return }
    let word = String(decoding: word, as: UTF8.self)
    words.insert(word.hasSuffix("sses") ? String(word.dropLast(2)) : word)
    if word.hasSuffix("s"), !word.hasSuffix("ss") { words.insert(String(word.dropLast())) }
  }
}
