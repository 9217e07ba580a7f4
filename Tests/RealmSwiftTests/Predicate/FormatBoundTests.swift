import GatehouseSeeded
import Testing

@testable import RealmSwift

/// Formats that nobody writes.
@Suite struct FormatBoundTests {
  @Test(
    arguments: [
      (
        String(repeating: "(", count: 100_000) + "age > 1",
        "The predicate is nested more than 100 levels deep"
      ),
      (
        String(repeating: "NOT ", count: 60_000) + "age > 1",
        "The predicate is nested more than 100 levels deep"
      ),
      (String(repeating: "{", count: 100_000) + "1", "The predicate is nested more than 100 levels deep"),
      (
        "age" + String(repeating: ".a", count: 200) + " > 1",
        "The predicate is nested more than 100 levels deep"
      ),
      (String(repeating: " ", count: 300_000), "The format string has more than 262144 bytes"),
      ("age IN {" + String(repeating: "1,", count: 30_000) + "1}", "The predicate has more than 20000 terms"),
    ])
  func `depth, length and terms have bounds`(format: String, reason: String) {
    #expect(Kennel.reason(format) == reason)
  }

  @Test func `long conjunctions are flat`() throws {
    let format = Array(repeating: "age > 1", count: 5000).joined(separator: " AND ")
    guard case .all(let parts) = try RealmPredicate(parsing: format).syntax else {
      Issue.record("no conjunction")
      return
    }
    #expect(parts.count == 5000)
    _ = try Kennel.text(format)
  }

  @Test(arguments: Array(1...8) as [UInt64])
  func `no text makes the parser or the binder fall over`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "age", "name", "owner", "friends", "ages", "extra", "scores", "place", ".", "[", "]", "(", ")", "{",
      "}",
      ",", "%@", "%K", "==",
      "!=", "<", ">=", "IN", "BETWEEN", "CONTAINS", "LIKE", "[c]", "[cd]", "ANY", "ALL", "NONE", "NOT", "AND",
      "OR", "SUBQUERY", "$x",
      "@count", "@min", "@allKeys", "@allValues", "@links", "Dog", "SELF", "nil", "TRUE", "1", "-", "2.5",
      "'é'", "\"", "\\", "'", "#any", "🐕", "\u{0}",
      "FIRST", "TRUEPREDICATE", "+", "%",
    ]
    for _ in 0..<4000 {
      let text = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined(separator: Bool.random(using: &generator) ? " " : "")
      _ = try? Kennel.text(text, [1, "age", "a", nil as Int? as Any, [1, 2], "owner.name"])
    }
  }

  @Test(arguments: [11, 12] as [UInt64])
  func `no bytes make the lexer fall over`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<4000 {
      let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? Kennel.text(String(decoding: bytes, as: UTF8.self), [1, "age"])
    }
  }
}
