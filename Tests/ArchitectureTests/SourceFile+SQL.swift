extension SourceFile {
  /// The lines in which a text begins like a statement of SQL, with their numbers. Each line of a long text counts.
  var sqlLines: [(number: Int, text: String)] {
    var found: [(number: Int, text: String)] = []
    var isInText = false
    for (offset, line) in lines.enumerated() {
      if line.utf8.drop(while: { $0 == 0x20 }).starts(with: "//".utf8) { continue }
      // Matching every line would take its time.
      let hasText = line.utf8.contains(UInt8(ascii: "\""))
      if hasText || isInText, SourceFile.beginsSQL(line, isInText: isInText) {
        found.append((offset + 1, line))
      }
      if hasText, !line.ranges(of: "\"\"\"").count.isMultiple(of: 2) { isInText.toggle() }
    }
    return found
  }

  private static func beginsSQL(_ line: String, isInText: Bool) -> Bool {
    let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
    return (isInText ? pieces[...] : pieces.dropFirst()).contains { $0.prefixMatch(of: statement()) != nil }
  }

  private static func statement() -> Regex<Substring> {
    #/[\s(]*(?:SELECT|INSERT (?:OR|INTO)|UPDATE|DELETE FROM|CREATE|DROP|ALTER TABLE|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|VACUUM|EXPLAIN|WITH)\b/#
  }
}
