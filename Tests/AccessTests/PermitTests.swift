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
  func `no filter asks about a property that is not shown`(filter: String) throws {
    let plan = try Library.plan(QueryRequest(filter: filter))
    let accessError = try accessError { _ = try $0.restricted(plan) }
    let isProperty = accessError == .property(objectType: "Note", name: "secret")
    #expect(isProperty || accessError == .path(objectType: "Note"), "\(accessError as Any)")
  }

  @Test(arguments: [
    ("ANY others.id == 1", AccessError.path(objectType: "Note")),
    ("topic.notes.@count > 1", .path(objectType: "Note")),
    ("others.@count > 1", .path(objectType: "Note")), ("others.@sum.stars > 1", .path(objectType: "Note")),
    ("SUBQUERY(others, $o, $o.id == 1).@count > 0", .path(objectType: "Note")),
    ("@links.@count > 0", .path(objectType: "Note")), ("topic.@links.@count > 0", .path(objectType: "Note")),
    ("mix['key'] == 1", .overview), ("mix[*] == 1", .overview),
  ])
  func `what is not read under a visibility leads through no objects that may not be seen`(
    filter: String, expected: AccessError
  ) throws {
    let plan = try Library.plan(QueryRequest(filter: filter))
    #expect(try accessError { try $0.requireReadable(plan.predicate) } == expected)
    // A plan is.
    let restricted = try Library.permit().restricted(plan)
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

  @Test(
    arguments: [
      (nil, nil, ["id", "owner", "text", "stars", "topic", "mix", "tags", "place", "others"]),
      ("id,secret", nil, ["id"]), ("x:secret,id", nil, ["id"]), ("topic.name", nil, ["topic"]),
    ] as [(String?, String?, [String])])
  func `what is not shown is left out`(fields: String?, expand: String?, expected: [String]) throws {
    let schema = try Library.schema()
    let plan = try Library.plan(QueryRequest(selection: FieldSelection(fields: fields, expand: expand)))
    let shown = try Library.permit().restricted(plan).projection
    let type = try #require(schema["Note"])
    #expect(shown.fields.map { type.properties[$0.property].name } == expected)
  }

  @Test(
    arguments: [
      ("secret", nil, AccessError.property(objectType: "Note", name: "secret")),
      (nil, "others", .path(objectType: "Note")), (nil, "topic.notes", .path(objectType: "Note")),
      ("topic.notes.secret", nil, .path(objectType: "Note")),
    ] as [(String?, String?, AccessError)])
  func `objects that may not be seen are not shown in others`(
    fields: String?, expand: String?, expected: AccessError
  ) throws {
    let plan = try Library.plan(QueryRequest(selection: FieldSelection(fields: fields, expand: expand)))
    #expect(try accessError { _ = try $0.pruned(plan.projection) } == expected)
  }

  @Test(arguments: [("stars.@sum", nil), ("others.stars.@sum", AccessError.path(objectType: "Note"))])
  func `aggregates ask about what is shown`(text: String, expected: AccessError?) throws {
    let aggregates = try Aggregate.list(text, objectType: "Note", schema: Library.schema())
    #expect(
      try accessError { permit in for aggregate in aggregates { try permit.requireReadable(aggregate) } }
        == expected)
  }

  @Test(
    arguments: [
      (["text"], nil, nil), (["secret"], AccessError.property(objectType: "Note", name: "secret"), nil),
      (["stars"], nil, AccessError.writingProperty(objectType: "Note", name: "stars")),
      (["topic", "name"], nil, AccessError.writing(objectType: "Topic")),
      (["others", "0", "text"], AccessError.path(objectType: "Note"), nil),
      (["mix", "a"], AccessError.overview, nil),
      (["place", "name"], nil, nil),
      (["place", "topic", "name"], nil, AccessError.writing(objectType: "Topic")),
    ] as [([String], AccessError?, AccessError?)])
  func `a path leads to what may be seen, and written`(
    segments: [String], reading: AccessError?, writing: AccessError?
  ) throws {
    let schema = try Library.schema()
    let path = try ResourcePath(segments, of: #require(schema["Note"]), in: schema)
    #expect(try accessError { try $0.requireReadableValue(at: path, of: "Note") } == reading)
    #expect(try accessError { try $0.requireWritable(valueAt: path, of: "Note") } == reading ?? writing)
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

  @Test func `a replacement takes the right to write everything`() throws {
    let schema = try Library.schema()
    let draft = try #require(schema["Note"]).draft(
      from: Value(json: #"{"id":1,"owner":"x"}"#), in: schema, mode: .replace)
    let expected = AccessError.writingProperty(objectType: "Note", name: "secret")
    #expect(try accessError { try $0.requireReplaceable(by: draft, of: "Note") } == expected)
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
