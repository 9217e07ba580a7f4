import GatehouseBSON
import GatehouseQuery
import Testing

@testable import GatehouseAccess

@Suite struct FilterTemplateTests {
  @Test(
    arguments: [
      ("n == 1", "n == 1", []), ("owner == %%user.id", "owner == $0", [.user(["id"])]),
      (
        "%%user.data.email == a AND b==%%user.id)", "$0 == a AND b==$1)",
        [.user(["data", "email"]), .user(["id"])]
      ),
      ("a == '%%user.id' OR b == %%user.id", "a == '%%user.id' OR b == $0", [.user(["id"])]),
      ("a > %%now AND b<=%%now", "a > $0 AND b<=$1", [.time, .time]), ("a > '%%now'", "a > '%%now'", []),
      ("a > %%nowhere", "a > %%nowhere", []), ("a > %%now.x", "a > %%now.x", []),
      (#"a == 'it\'s %%user.id' AND b == "%%user.id""#, #"a == 'it\'s %%user.id' AND b == "%%user.id""#, []),
      ("a == %%user.", "a == $0", [.user([""])]), ("a == %%user.a..b", "a == $0", [.user(["a", "", "b"])]),
      (
        "a == oid(%%user.id) AND b IN {oid(%%user.data.x), 1}", "a == $0 AND b IN {$1, 1}",
        [.objectID(["id"]), .objectID(["data", "x"])]
      ),
      ("a == '(oid(%%user.id)'", "a == '(oid(%%user.id)'", []),
      ("void(%%user.id)", "void($0)", [.user(["id"])]),
      ("a == %%userid", "a == %%userid", []), ("a == %%user.é", "a == $0é", [.user([""])]),
    ] as [(String, String, [FilterTemplate.Expansion])])
  func `values of the user become arguments, but for those in quotes`(
    text: String, filter: String, expansions: [FilterTemplate.Expansion]
  ) {
    let template = FilterTemplate(text)
    #expect(template.filter == filter)
    #expect(template.expansions == expansions)
  }

  @Test func `a text is the ObjectID that it says, or none`() throws {
    let id = try #require(ObjectID("0123456789abcdef01234567"))
    let caller = CallerValues([
      "id": .string("0123456789abcdef01234567"), "data": ["id": .objectID(id), "other": .string("x")],
    ])
    let known = ["oid(%%user.id)", "oid(%%user.data.id)"].map {
      FilterTemplate($0).expansions.map(caller.value)
    }
    #expect(known == [[.objectID(id)], [.objectID(id)]])
    let others = ["oid(%%user.data.other)", "oid(%%user.none)"].map {
      FilterTemplate($0).expansions.map(caller.value)
    }
    #expect(others == [[.null], [.null]])
  }

  @Test func `a rule binds the values that the caller has, and holds for nobody who lacks one`() throws {
    let caller = CallerValues(["id": .string("me"), "data": .document(["n": .int32(3)])])
    let bound = try BoundRule(
      ["owner == %%user.id AND stars > %%user.data.n"], for: caller, on: "Note", in: Library.schema())
    #expect(bound.filter == "owner == $0 AND stars > $1")
    #expect(bound.arguments == [.string("me"), .int32(3)])
    #expect(bound.isPlain && !bound.lacksValues)
    let lacking = try BoundRule(["owner == %%user.data.id"], for: caller, on: "Note", in: Library.schema())
    #expect(lacking.arguments == [])
    #expect(lacking.lacksValues && lacking.predicate == .never)
    #expect(try !BoundRule(["stars > 1 LIMIT(1)"], for: nil, on: "Note", in: Library.schema()).isPlain)
  }

  @Test func `of several filters, those that the caller has values for hold each by itself`() throws {
    let caller = CallerValues(
      ["id": .string("me"), "data": .document(["n": .int32(3)])], time: Date(seconds: 5))
    let bound = try BoundRule(
      ["owner == %%user.id", "text == %%user.data.nope", "nope == 1", "stars > %%user.data.n"], for: caller,
      on: "Note", in: Library.schema())
    #expect(bound.filter == "(owner == $0) OR (stars > $1)")
    #expect(bound.arguments == [.string("me"), .int32(3)])
    let text = try Library.plan(QueryRequest(filter: bound.filter, arguments: bound.arguments))
    #expect(bound.predicate == text.predicate)
    #expect(bound.isPlain && !bound.lacksValues)
    #expect(throws: QueryError.self) {
      try BoundRule(["nope == 1", "nope == 2"], for: caller, on: "Note", in: Library.schema())
    }
    #expect(
      try BoundRule(["mix > %%now"], for: caller, on: "Note", in: Library.schema()).arguments == [
        .date(Date(seconds: 5))
      ])
    #expect(try BoundRule(["mix > %%now"], for: nil, on: "Note", in: Library.schema()).lacksValues)
  }

  @Test(arguments: [
    "owner IN %%user.roles", "ANY tags IN %%user.roles", "NOT owner IN %%user.custom_data.teams",
    "owner == %%user.id OR owner IN %%user.roles", "topic.name IN %%user.roles", "mix < %%now",
  ])
  func `lists and times are values, too`(filter: String) throws {
    #expect(try BoundRule.isPlain(filter, on: "Note", in: Library.schema()))
    let values: Document = [
      "id": .string("me"), "roles": .array([.string("a")]),
      "custom_data": .document(["teams": .array([])]),
    ]
    let caller = CallerValues(values, time: Date(seconds: 5))
    #expect(try !BoundRule([filter], for: caller, on: "Note", in: Library.schema()).lacksValues)
  }

  @Test(arguments: [
    "owner == %%user.roles", "NOT owner == %%user.roles", "owner != %%user.roles", "stars > %%user.roles",
    "ANY tags == %%user.roles", "owner IN {'x', %%user.roles}", "text == 'IN' AND owner == %%user.roles",
    "stars == 1 OR owner == %%user.roles",
  ])
  func `a list that is not behind IN equals nothing, and differs from nothing`(filter: String) throws {
    let caller = CallerValues(["id": .string("me"), "roles": .array([.string("a")])])
    let bound = try BoundRule([filter], for: caller, on: "Note", in: Library.schema())
    #expect(bound.lacksValues && bound.predicate == .never)
  }

  @Test func `a constant is in no list, as in RQL`() throws {
    #expect(throws: QueryError.self) {
      try BoundRule.isPlain("'editor' IN %%user.roles", on: "Note", in: Library.schema())
    }
  }
}
