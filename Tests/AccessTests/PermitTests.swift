import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

/// Every way in which a query can ask for what its caller may not see.
@Suite struct PermitTests {
  private func accessError(_ body: (Permit) throws -> Void) throws -> AccessError? {
    let permit = try Library.permit()
    do { try body(permit) } catch let error as AccessError { return error }
    return nil
  }

  @Test(arguments: [
    "secret == 'x'", "NOT secret == 'x'", "text == secret", "secret.@size > 1",
    "id == 1 OR secret BEGINSWITH 'a'",
    "topic.notes.secret == 'x'", "ANY others.secret == 'x'", "id == 1 SORT(secret ASC)",
    "id == 1 DISTINCT(secret)", "SUBQUERY(others, $o, $o.secret == 'x').@count > 0", "secret IN {'a'}",
  ])
  func `no filter names a property that is not shown`(filter: String) throws {
    let schema = try Library.permit().schema
    _ = try Library.plan(QueryRequest(filter: filter))
    let error = #expect(throws: QueryError.self) {
      try Plan(request: QueryRequest(filter: filter), schema: schema, objectType: "Note")
    }
    guard case .unknownProperty(_, "Note", "secret", let nearest)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(nearest != "secret")
  }

  @Test(arguments: [
    "ANY others.id == 1", "topic.notes.@count > 1", "SUBQUERY(others, $o, $o.id == 1).@count > 0",
    "@links.@count > 0", "mix['key'] == 1",
  ])
  func `a plan that looks at other objects sees those that may be seen`(filter: String) throws {
    let restricted = try Library.permit().restricted(Library.plan(QueryRequest(filter: filter)))
    #expect(restricted.visibility?.restricted.contains("Note") == true)
  }

  @Test(arguments: ["topic.name == 'a'", "text == 'a' AND stars > 1", "ANY tags == 'x'", "place.name == 'x'"])
  func `a filter may ask about what is shown`(filter: String) throws {
    let plan = try Library.plan(QueryRequest(filter: filter))
    #expect(try accessError { _ = try $0.restricted(plan) } == nil)
  }

  @Test(arguments: [("Hidden", AccessError.reading(objectType: "Hidden")), ("Topic", nil), ("Note", nil)])
  func `a class without rights is closed`(name: String, expected: AccessError?) throws {
    let plan = try Library.plan(QueryRequest(), name)
    #expect(try accessError { _ = try $0.restricted(plan) } == expected)
  }

  @Test func `a plan is for the caller's objects`() throws {
    let plan = try Library.permit().restricted(try Library.plan(QueryRequest(filter: "id == 1")))
    let parts = ["owner == $0", "id == 1"].map { filter in
      QueryRequest(filter: filter, arguments: [.string("5f0000000000000000000001")])
    }
    #expect(plan.predicate == .all(try parts.map { try Library.plan($0).predicate }))
  }

  @Test func `what is not shown is left out`() throws {
    let (schema, permit) = (try Library.schema(), try Library.permit())
    let expected = ["id", "owner", "text", "stars", "topic", "mix", "tags", "place", "others"]
    let type = try #require(schema["Note"])
    for schema in [permit.schema, schema] {
      let plan = try Plan(request: QueryRequest(), schema: schema, objectType: "Note")
      let shown = try permit.restricted(plan).projection
      #expect(shown.fields.map { type.properties[$0.property].name } == expected)
    }
  }

  @Test(
    arguments: [
      (["text"], nil), (["stars"], AccessError.writingProperty(objectType: "Note", name: "stars")),
      (["topic", "name"], .writing(objectType: "Topic")), (["others", "0", "text"], nil),
      (["others", "0", "stars"], .writingProperty(objectType: "Note", name: "stars")), (["mix", "a"], nil),
      (["place", "name"], nil), (["place", "topic", "name"], .writing(objectType: "Topic")),
    ] as [([String], AccessError?)])
  func `a path leads to what may be written`(segments: [String], expected: AccessError?) throws {
    let schema = try Library.permit().schema
    let path = try ResourcePath(segments, of: #require(schema["Note"]), in: schema)
    #expect(try accessError { try $0.requireWritable(valueAt: path, of: "Note") } == expected)
  }

  @Test func `no path leads to a property that is not shown`() throws {
    let schema = try Library.permit().schema
    let type = try #require(schema["Note"])
    #expect(throws: PathError.segment(0, .unknownProperty(objectType: "Note"))) {
      try ResourcePath(["secret"], of: type, in: schema)
    }
  }

  @Test(arguments: [
    (#"{"id":1,"owner":"x"}"#, nil), (#"{"id":1,"owner":"x","stars":3}"#, nil),
    (#"{"id":1,"owner":"x","stars":4}"#, "stars"), (#"{"id":1,"owner":"x","secret":"s"}"#, "secret"),
  ])
  func `a new object has what its creator may write`(json: String, property: String?) throws {
    let schema = try Library.schema()
    let draft = try #require(schema["Note"]).draft(from: Value(json: json), in: schema, mode: .create)
    let expected = property.map { AccessError.writingProperty(objectType: "Note", name: $0) }
    #expect(try accessError { try $0.requireCreatable(draft, of: "Note") } == expected)
  }

  @Test(arguments: [
    (#"{"text":"x"}"#, nil), (#"{"stars":3}"#, "stars"), (#"{"secret":null}"#, "secret"),
  ])
  func `a patch changes what its author may write`(json: String, property: String?) throws {
    let schema = try Library.schema()
    let patch = try #require(schema["Note"]).patch(from: Value(json: json), in: schema)
    let expected = property.map { AccessError.writingProperty(objectType: "Note", name: $0) }
    #expect(try accessError { try $0.requireChangeable(by: patch, of: "Note") } == expected)
  }

  @Test(arguments: [
    #"[{"op":"test","path":"/secret","value":"x"}]"#, #"[{"op":"copy","from":"/secret","path":"/text"}]"#,
    #"[{"op":"move","from":"/text","path":"/secret"}]"#,
  ])
  func `an edit does not ask about what is not shown`(json: String) throws {
    let schema = try Library.schema()
    let edit = try #require(schema["Note"]).edit(fromJSONPatch: Value(json: json), in: schema)
    let expected = AccessError.writingProperty(objectType: "Note", name: "secret")
    #expect(try accessError { try $0.requireChangeable(by: edit, of: "Note") } == expected)
  }

  @Test(arguments: [
    #"{"user":{"classes":{"Note":{"read":"nope == 1","write":true}}}}"#,
    #"{"user":{"classes":{"Note":{"read":true,"fields":{"nope":{"read":false}}}}}}"#,
    #"{"user":{"classes":{"Note":{"read":"id == 1 LIMIT(1)"}}}}"#,
  ])
  func `rights that mean nothing in the schema are none`(roles: String) throws {
    let permit = try Library.permit(roles)
    #expect(permit["Note"].read == .none && permit["Note"].write == .none)
  }

  @Test func `a user's id is an ObjectID where the class says so`() throws {
    let permit = try Library.permit(
      #"{"user":{"classes":{"Hidden":{"read":"owner == %%user.id"}}}}"#)
    let literal = try Library.plan(
      QueryRequest(filter: "owner == oid(5f0000000000000000000001)"), "Hidden")
    #expect(permit["Hidden"].read == .some(literal.predicate))
  }

  @Test func `what stands in quotes is not about the user`() throws {
    let permit = try Library.permit(
      #"{"user":{"classes":{"Note":{"read":"text == '%%user.id' AND owner == %%user.data.email"}}}}"#
    )
    let restriction = try #require(permit["Note"].restriction)
    #expect(restriction.filter == "text == '%%user.id' AND owner == $0")
    #expect(restriction.arguments == [.string("a@b.example")])
  }

  @Test func `a filter that asks for what is not known of the caller shows nothing`() throws {
    let permit = try Library.permit(#"{"user":{"classes":{"Note":{"read":"text == %%user.data.nope"}}}}"#)
    #expect(permit["Note"].read == .none)
  }
}
