import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

@Suite struct PlanTests {
  private func plan(_ request: QueryRequest) throws(QueryError) -> Plan {
    try Plan(request: request, schema: Library.schema, objectType: "Book")
  }

  private func properties(_ projection: Projection) -> [String] {
    let type = Library.schema[projection.objectType]
    return projection.fields.flatMap { field -> [String] in
      let name = type?.properties[field.property].name ?? ""
      return field.target.map { target in properties(target).map { "\(name).\($0)" } } ?? [name]
    }
  }

  private func sorts(_ plan: Plan) -> [[String]] {
    plan.clauses.compactMap { clause in
      guard case .sort(let keys) = clause else { return nil }
      return keys.map { key in
        let name =
          if case .value(let property) = key.path.end {
            Library.schema[key.path.targetType]?.properties[property].name ?? ""
          } else {
            "_key"
          }
        return (key.ascending ? "" : "-") + name
      }
    }
  }

  @Test func `of adjacent sorts the last one written comes first`() throws {
    let plan = try plan(
      QueryRequest(
        filter: "TRUEPREDICATE SORT(title ASC, pages DESC) SORT(author.name DESC)", sort: "-rating"))
    #expect(sorts(plan) == [["-rating", "-name", "title", "-pages"]])
  }

  @Test func `sorts with another clause between them stay apart`() throws {
    let plan = try plan(
      QueryRequest(filter: "TRUEPREDICATE SORT(title ASC) LIMIT(3)", sort: "pages,author._key"))
    #expect(sorts(plan) == [["title"], ["pages", "_key"]])
    #expect(plan.clauses.count == 3)
  }

  @Test func `all stored properties are shown unless the request says otherwise`() throws {
    let shown = properties(try plan(QueryRequest()).projection)
    #expect(shown == Library.schema["Book"]?.properties.map(\.name))
  }

  @Test func `fields and links in them are shown in the order of the request`() throws {
    let request = QueryRequest(selection: FieldSelection(fields: "title,author.name,author.mentor.name,isbn"))
    #expect(
      properties(try plan(request).projection) == ["title", "author.name", "author.mentor.name", "isbn"])
  }

  @Test func `an expanded link shows all stored properties of its target`() throws {
    let request = QueryRequest(selection: FieldSelection(fields: "isbn", expand: "author.mentor"))
    #expect(
      properties(try plan(request).projection) == [
        "isbn", "author.name", "author.born", "author.mentor.name", "author.mentor.born",
        "author.mentor.mentor",
      ])
  }

  @Test(
    arguments: [
      (
        QueryRequest(sort: "-titel"),
        .parameter(
          .sort, .unknownProperty(offset: 1, objectType: "Book", name: "titel", nearest: "title"))
      ),
      (
        QueryRequest(selection: FieldSelection(fields: "title,,isbn")),
        .parameter(
          .fields, .unexpectedToken(offset: 6, found: ",", expected: ["a value"]))
      ),
      (
        QueryRequest(selection: FieldSelection(expand: "title")),
        .parameter(
          .expand, .notExpandable(offset: 0, objectType: "Book", property: "title"))
      ),
      (QueryRequest(limit: -1), .parameter(.limit, .limitOutOfRange(offset: 0))),
      (
        QueryRequest(selection: FieldSelection(expand: "author" + String(repeating: ".mentor", count: 8))),
        .parameter(
          .expand, .tooDeep(offset: 0, limit: 8))
      ),
    ] as [(QueryRequest, QueryError)])
  func `a wrong parameter is named`(request: QueryRequest, expected: QueryError) {
    #expect(throws: expected) { try plan(request) }
  }
}
