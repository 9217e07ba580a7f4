import FoundationEssentials
import Testing

/// The pages for newcomers name files, which others move.
struct PageTests {
  @Test func `each way through the code leads through at most eight files that are there`() throws {
    let text = try page("CONTRIBUTING.md")
    let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Four ways") })
    let ways = section.split(separator: "\n**").dropFirst()
    #expect(ways.count == 4)
    for way in ways {
      let paths = way.matches(of: /`((?:Sources|Tests|openapi)\/[^` ]+)`/).map { String($0.1) }
      #expect((1...8).contains(paths.count), "\(way)")
      for path in paths { #expect(SourceFile.exists(path), "\(path) is not there") }
    }
  }

  @Test func `each word of the glossary lives in a file of its target, in alphabetical order`() throws {
    for section in try page("Sources/GLOSSARY.md").split(separator: "\n## ").dropFirst() {
      let target = section.prefix { $0 != "\n" }
      #expect(SourceFile.exists("Sources/\(target)"), "\(target) is no target")
      let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| word") }
      let words = rows.map { row in
        row.split(separator: "|").first.map { $0.lowercased().trimmingPrefix(" ") } ?? ""
      }
      #expect(words == words.sorted(), "\(target)")
      for row in rows {
        let path = row.split(separator: "|").last?.filter { $0 != "`" && $0 != " " } ?? ""
        #expect(SourceFile.exists("Sources/\(target)/\(path)"), "\(target): \(path) is not there")
        #expect(
          row.split(separator: "|").allSatisfy { $0 != " " }, "\(row) does not say where the word comes from")
      }
    }
  }

  private func page(_ path: String) throws -> String {
    try String(contentsOfFile: "\(SourceFile.root)/\(path)", encoding: .utf8)
  }
}
