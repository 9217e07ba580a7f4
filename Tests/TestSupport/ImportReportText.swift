/// The lines that `gatehouse app import` prints, looked at for what cannot be true together.
public enum ImportReportText {
  private struct Line {
    let outcome: Substring
    let file: Substring
    let text: Substring

    init?(_ line: Substring) {
      guard let match = line.wholeMatch(of: /(taken|changed|refused)  (.+?)(?:, line \d+)?: (.*)/) else {
        return nil
      }
      (outcome, file, text) = (match.1, match.2, match.3)
    }
  }

  /// Returns the parts of which a line says that they are taken, and another one that they are not.
  public static func contradictions(in report: String) -> [String] {
    let lines = report.split(separator: "\n").compactMap(Line.init)
    let taken = Set(lines.filter { $0.outcome != "refused" }.compactMap { part(of: $0, isTaken: true) })
    let refused = Set(lines.filter { $0.outcome == "refused" }.compactMap { part(of: $0, isTaken: false) })
    let none = Set(lines.compactMap { $0.text.firstMatch(of: /^users have no rights on (.+)$/)?.1 })
    let given = Set(lines.compactMap { $0.text.firstMatch(of: /^rights of users on (.+)$/)?.1 })
    return taken.intersection(refused).sorted() + none.intersection(given).map { "rights on \($0)" }.sorted()
  }

  /// The part that a line is about as a whole; nil: it is about something in one.
  private static func part(of line: Line, isTaken: Bool) -> String? {
    let parts = [/^(class) ([^ ,]+)(?:,.*| is left out:.*)?$/, /^(function|provider|trigger) ([^ :]+).*$/]
    for pattern in parts {
      if let match = line.text.wholeMatch(of: pattern) { return "\(match.1) \(match.2)" }
    }
    if line.text.hasPrefix("its collection is refused") { return "\(line.file)" }
    // Whatever else is said of the indexes, rules or data source of a file that is refused.
    return isTaken && line.text.contains(#/^(\d+ indexes|rights of users|data source) /#)
      ? "\(line.file)" : nil
  }
}
