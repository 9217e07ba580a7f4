import FoundationEssentials
import GatehouseTestSupport

/// A block of code of a page.
struct PageBlock {
  let text: String
  let line: Int
  /// Why it is not run; nil: it is.
  let reason: String?
  /// Whether it needs the directory for itself.
  let isBeforeServer: Bool

  /// Returns the blocks of a page that are in a language, in their order.
  static func blocks(of page: String, in language: String) throws -> [PageBlock] {
    let lines = try String(contentsOfFile: "\(Machine.root)/\(page)", encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [PageBlock] = []
    var start: Int?
    for (index, line) in lines.enumerated() {
      if start == nil, line == "```\(language)" {
        start = index
      } else if let first = start, line == "```" {
        let before = lines[..<first].last { !$0.isEmpty } ?? ""
        let reason = before.firstMatch(of: /<!-- not run: (.+) -->/).map { String($0.1) }
        let text = lines[(first + 1)..<index].joined(separator: "\n")
        blocks.append(
          PageBlock(
            text: text, line: first + 1, reason: reason,
            isBeforeServer: before == "<!-- run: before the server -->"))
        start = nil
      }
    }
    return blocks
  }
}
