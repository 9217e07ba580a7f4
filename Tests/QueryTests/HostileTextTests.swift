import GatehouseBSON
import GatehouseQuery
import GatehouseSeeded
import Testing

@Suite struct HostileTextTests {
  @Test(arguments: [
    ("(", 100), ("NOT ", 400), ("NOT (", 250), ("pages + (", 908), ("SUBQUERY(readers, $x, ", 2_200),
    ("1 + ", 402),
  ])
  func `deep nesting is refused`(opening: String, offset: Int) {
    let text = String(repeating: opening, count: 10_000) + "pages == 1"
    #expect(throws: QueryError.tooDeep(offset: offset, limit: 100)) { try Library.plan(text) }
  }

  @Test func `53,000 terms joined by OR are refused`() {
    let text = Array(repeating: "pages==1", count: 53_000).joined(separator: " OR ")
    #expect(throws: QueryError.textTooLong(limit: 262_144)) { try Library.plan(text) }
  }

  @Test func `thousands of terms joined by OR are planned`() throws {
    let text = Array(repeating: "pages==1", count: 6_000).joined(separator: "||")
    guard case .any(let terms) = try Library.plan(text).predicate else {
      Issue.record("not an OR")
      return
    }
    #expect(terms.count == 6_000)
  }

  @Test func `random words never trap`() throws {
    let words = [
      "pages", "title", "author", ".", "name", "@count", "@links", "@min", "==", "<", "IN", "BETWEEN", "LIKE",
      "[c]", "AND", "OR", "NOT", "ANY", "(", ")", "{", "}", "[", "]", ",", "0", "-1", "2.5", "'x'",
      "\"é\\n\"",
      "null", "NaN", "inf", "$0", "$K0", "T1:2", "oid(000000000000000000000000)", "SUBQUERY", "$x", "+", "*",
      "FIRST", "SORT", "ASC", "LIMIT", "obj", "bin", "TEXT", "GEOWITHIN", "geoBox", "2020-01-01@00:00:00",
      "\u{0}", "é", "\\", "@", "B64", "0x", "1e", ".5", "T", "u",
    ]
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...12, using: &generator)
      let text = (0..<count).map { _ in words.randomElement(using: &generator) ?? "" }
        .joined(separator: Bool.random(using: &generator) ? " " : "")
      _ = try? Library.plan(text, [.int32(1), .string("x")])
    }
  }

  @Test func `random filters can be written and read again`() throws {
    let operands = [
      "pages", "weight", "rating", "price", "title", "extra", "extra.a[0]", "author.name", "readers.name",
      "tags",
      "ALL scores", "NONE scores", "scores[LAST]", "names.de", "names.@keys", "notes[*].@type",
      "readers.@count",
      "tags.length", "scores.@sum", "readers.@min.born", "SUBQUERY(readers, $r, $r.name == 'x').@count",
      "author",
      "(pages + 1) * rating", "isbn.@size", "author.books.pages", "uid", "printed", "cover", "lent",
      "roles.x.name",
    ]
    let constants = [
      "1", "2.5", "1.5f", "'x'", "'5'", "null", "NaN", "-inf", "{1, 2}", "{'a', null}", "ALL {1}", "true",
      "$0", "$1",
      "T-1:-2", "uuid(00000000-0000-0000-0000-000000000001)", "bin('x')", "obj('Author', 3)", "'numeric'",
      "{}",
    ]
    let relations = ["==", "!=", "<", "<=", ">", ">=", "IN", "CONTAINS", "LIKE[c]", "==[c]", "BEGINSWITH"]
    var generator = SeededGenerator(seed: 8)
    var planned = 0
    for _ in 0..<5_000 {
      let relation = relations.randomElement(using: &generator) ?? ""
      let right = Bool.random(using: &generator) ? operands : constants
      let sides = [
        operands.randomElement(using: &generator) ?? "", right.randomElement(using: &generator) ?? "",
      ]
      let order = relation == "IN" || Bool.random(using: &generator) ? sides : sides.reversed()
      let text = order.joined(separator: " \(relation) ")
      guard let plan = try? Library.plan(text, [.int32(1), .string("x")]) else { continue }
      planned += 1
      // The order of null strings is said in other terms, and again when read again.
      if case .any = plan.predicate { continue }
      let written = plan.predicate.text(in: Library.schema)
      do {
        #expect(try Library.plan(written).predicate == plan.predicate, "\(text) → \(written)")
      } catch {
        Issue.record("\(text) → \(written): \(error)")
      }
    }
    #expect(planned > 1_000)
  }
}
