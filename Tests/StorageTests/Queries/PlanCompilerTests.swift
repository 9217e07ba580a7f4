import GatehouseModel
import GatehouseQuery
import Testing

@testable import GatehouseStorage

/// The SQL of a page of a query, and what it leaves to the evaluator.
@Suite struct PlanCompilerTests {
  private static let schema = """
    [{"name":"Dog","primaryKey":"name","properties":{"name":"string","owner":"Person?"}},
     {"name":"Person","properties":{"name":{"type":"string?","indexed":true},"age":"int?","weight":"double",
      "note":"mixed","tags":"string[]","pages":"string?{}","best":"Dog?",
      "dogs":{"type":"linkingObjects","objectType":"Dog","property":"owner"}}}]
    """

  private static let statements: [(filter: String, sql: String)] = [
    (
      #"age > 5"#,
      #"(t."age" > ?)"#
    ),
    (
      #"age == null"#,
      #"(t."age" IS NULL)"#
    ),
    (
      #"NOT age > 5"#,
      #"(NOT ifnull(t."age" > ?, 0))"#
    ),
    (
      #"age == 1 OR age == 2"#,
      #"((t."age" IN (?, ?)))"#
    ),
    (
      #"age > 1 AND name == 'x'"#,
      #"(t."age" > ? AND t."name" IS ?)"#
    ),
    (
      #"name BEGINSWITH 'a'"#,
      #"((t."name" >= ? AND t."name" < ?))"#
    ),
    (
      #"name CONTAINS[c] 'a'"#,
      #"(text_contains_c(t."name", ?))"#
    ),
    (
      #"weight > 1.5"#,
      #"((t."weight" > ? AND t."weight" < ''))"#
    ),
    (
      #"weight < 1.5"#,
      #"(t."weight" < ?)"#
    ),
    (
      #"name.@size > 2"#,
      #"(length(CAST(t."name" AS BLOB)) > ?)"#
    ),
    (
      #"ALL tags.length > 2"#,
      #"(NOT EXISTS (SELECT 1 FROM "Person.tags" AS t1 WHERE t1.owner = t._key AND NOT ifnull(ifnull(length(CAST(t1.value AS BLOB)), 0) > ?, 0)))"#
    ),
    (
      #"tags == 'x'"#,
      #"(EXISTS (SELECT 1 FROM "Person.tags" AS t1 WHERE t1.owner = t._key AND t1.value IS ?))"#
    ),
    (
      #"tags.@count > 2"#,
      #"((SELECT count(*) FROM "Person.tags" AS t1 WHERE t1.owner = t._key) > ?)"#
    ),
    (
      #"pages.a == 'x'"#,
      #"((SELECT t1.value FROM "Person.pages" AS t1 WHERE t1.owner = t._key AND t1.key = ?) IS ?)"#
    ),
    (
      #"best.name == 'x'"#,
      #"(t."best" = (SELECT t1._key FROM "Dog" AS t1 WHERE t1."name" IS ?))"#
    ),
    (
      #"dogs.name == 'x'"#,
      #"(t._key IN (SELECT t1."owner" FROM "Dog" AS t1 WHERE t1."owner" IS NOT NULL AND t1."name" IS ?))"#
    ),
    (
      #"SUBQUERY(dogs, $d, $d.name == 'x').@count > 0"#,
      #"(EXISTS (SELECT 1 FROM "Dog" AS t1 WHERE t1."owner" = t._key AND t1."name" IS ?))"#
    ),
    (
      #"note == 1"#,
      #"(mixed_relates(t."note", ?, ?))"#
    ),
    (
      #"note == 'x'"#,
      #"(t."note" IS ?)"#
    ),
  ]

  @Test func `a filter is a condition in SQL with its constants bound`() async throws {
    let store = try await TemporaryStore(Self.schema)
    _ = try store.reading.counts()
    for (filter, sql) in Self.statements {
      let plan = try Plan(
        request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "Person")
      var compiler = try PlanCompiler(plan, catalog: store.reading.session.catalog)
      let text = try compiler.page(plan, columns: "t._key").text
      #expect(text == "SELECT t._key FROM \"Person\" AS t WHERE \(sql) ORDER BY t._key", "\(filter)")
      #expect(compiler.residuals.isEmpty, "\(filter)")
    }
  }

  @Test func `what SQL can't say is left to the evaluator, and only that`() async throws {
    let store = try await TemporaryStore(Self.schema)
    _ = try store.reading.counts()
    for (filter, sql, evaluated) in [
      ("note.@type == 'string'", "(matches(?, t._key))", [#"note.@type == "string""#]),
      ("age > 5 AND note.@size == 2", #"(t."age" > ? AND matches(?, t._key))"#, ["note.@size == 2"]),
      ("age == 1 + weight", "(matches(?, t._key))", [#"age == (1 + weight)"#]),
    ] {
      let plan = try Plan(
        request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "Person")
      var compiler = try PlanCompiler(plan, catalog: store.reading.session.catalog)
      let text = try compiler.page(plan, columns: "t._key").text
      #expect(text == "SELECT t._key FROM \"Person\" AS t WHERE \(sql) ORDER BY t._key", "\(filter)")
      #expect(compiler.residuals.map { $0.predicate.text(in: store.store.schema) } == evaluated, "\(filter)")
    }
  }

  @Test func `sorting, telling apart and pages are clauses of the same statement`() async throws {
    let store = try await TemporaryStore(Self.schema)
    _ = try store.reading.counts()
    for (sort, distinct, sql) in [
      (
        "-age", nil,
        #"SELECT t._key, t."age" FROM "Person" AS t WHERE 1 ORDER BY t."age" DESC, t._key LIMIT ?"#
      ),
      (
        "best.name", nil,
        #"""
        SELECT t._key, (t."best" IS NULL), (SELECT t1."name" FROM "Dog" AS t1 WHERE t1._key = t."best") \#
        FROM "Person" AS t WHERE 1 ORDER BY (t."best" IS NULL), \#
        (SELECT t1."name" FROM "Dog" AS t1 WHERE t1._key = t."best"), t._key LIMIT ?
        """#
      ),
      (
        "note", nil,
        #"""
        SELECT t._key, mixed_order(t."note") FROM "Person" AS t WHERE 1 \#
        ORDER BY mixed_order(t."note"), t._key LIMIT ?
        """#
      ),
      (
        nil, "name",
        #"""
        WITH r0(key) AS (SELECT key FROM (SELECT t._key AS key, row_number() OVER (PARTITION BY t."name" \#
        ORDER BY t._key) AS place FROM "Person" AS t WHERE 1) WHERE place = 1) \#
        SELECT t._key FROM "Person" AS t WHERE t._key IN r0 ORDER BY t._key LIMIT ?
        """#
      ),
    ] as [(String?, String?, String)] {
      var plan = try Plan(
        request: QueryRequest(sort: sort, distinct: distinct), schema: store.store.schema,
        objectType: "Person")
      plan.pageSize = 20
      var compiler = try PlanCompiler(plan, catalog: store.reading.session.catalog)
      let text = try compiler.page(plan, columns: "t._key").text
      #expect(text == sql)
    }
  }
}
