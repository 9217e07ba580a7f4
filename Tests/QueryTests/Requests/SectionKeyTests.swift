import GatehouseModel
import GatehouseQuery
import Testing

@Suite struct SectionKeyTests {
  private func key(_ text: String) throws(QueryError) -> SectionKey {
    try SectionKey(text, objectType: "Book", schema: Library.schema)
  }

  @Test(
    arguments: [
      ("pages", .int(3), .int(3)), ("pages", .null, .null),
      ("author.name", .string("Tolstoi"), .string("Tolstoi")),
      ("firstLetter(title)", .string("élan"), .string("é")), ("firstLetter(title)", .string(""), .string("")),
      ("firstLetter(title)", .null, .null), ("firstLetter(extra)", .int(7), .null),
    ] as [(String, Mixed, Mixed)])
  func `a section is a value, or the first letter of one`(text: String, value: Mixed, section: Mixed) throws {
    #expect(try key(text).key(of: value) == section)
  }

  @Test(
    arguments: [
      ("firstLetter(pages)", .incomparable(offset: 0, left: "firstLetter", right: "int")),
      ("tags", .sortOnCollection(offset: 0)), ("readers.name", .sortThroughCollection(offset: 0)),
      ("pages,title", .unexpectedToken(offset: 5, found: ",", expected: ["the end"])),
    ] as [(String, QueryError)])
  func `what yields no one value is no section`(text: String, error: QueryError) {
    #expect(throws: QueryError.parameter(.sectionBy, error)) { try key(text) }
  }

  @Test func `aggregates are read in the order in which they are asked for`() throws {
    let text = "@count, pages.@sum,readers.@max.born"
    let aggregates = try Aggregate.list(text, objectType: "Book", schema: Library.schema)
    #expect(aggregates.map(\.text) == ["@count", "pages.@sum", "readers.@max.born"])
    let kinds = aggregates.map { aggregate -> String in
      switch aggregate.kind {
      case .count: "count"
      case .value(let function, let path): "\(function) of \(path.hops.count) \(path.type)"
      }
    }
    #expect(kinds == ["count", "sum of 0 int", "maximum of 1 date"])
  }

  @Test(
    arguments: [
      ("title.@sum", .aggregateUnsupported(offset: 0, function: "@sum", type: "string")),
      (
        "pages",
        .unexpectedToken(offset: 5, found: "the end", expected: [".@min", ".@max", ".@sum", ".@avg"])
      ),
    ] as [(String, QueryError)])
  func `only numbers have a sum, and a path alone is no aggregate`(text: String, error: QueryError) {
    #expect(throws: QueryError.parameter(.aggregate, error)) {
      try Aggregate.list(text, objectType: "Book", schema: Library.schema)
    }
  }
}
