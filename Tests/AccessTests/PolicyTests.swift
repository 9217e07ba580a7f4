import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

@Suite struct PolicyTests {
  @Test func `principals are the same by what they are`() {
    let principals = [
      Principal(.anyone, role: .administrator), Principal(.anyone, role: .reader),
      Principal(.key(id: "a"), role: .reader), Principal(.user(id: "a"), role: .reader),
    ]
    #expect(Set(principals).count == principals.count)
    for principal in principals {
      let same = Principal(principal.kind, role: principal.role, values: principal.values)
      #expect(same == principal && same.hashValue == principal.hashValue)
    }
  }

  @Test(arguments: [
    "{}", #"{"user":{"classes":{}}}"#,
    #"{"a":{"classes":{"Note":{"read":true,"write":"owner == %%user.id","fields":{"secret":{"read":false},"stars":{"write":false}},"quota":{"objects":3,"bytes":0}},"*":{"read":true,"write":false}}}}"#,
  ])
  func `roles that are read are written alike`(text: String) throws {
    let policy = try Policy(notation: Value(json: text))
    #expect(String(decoding: policy.notation.plainJSON, as: UTF8.self) == text)
    try policy.validate(in: Library.schema())
  }

  @Test(arguments: [
    ("[]", "", PolicyError.Rule.notADocument), (#"{"admin":{}}"#, "/admin", .builtInRole),
    (#"{"a":{"x":1}}"#, "/a/x", .unknownMember), (#"{"a":{"classes":[]}}"#, "/a/classes", .notADocument),
    (#"{"a":{"classes":{"Note":{"read":1}}}}"#, "/a/classes/Note/read", .wrongType),
    (#"{"a":{"classes":{"No/te":{"see":1}}}}"#, "/a/classes/No~1te/see", .unknownMember),
    (
      #"{"a":{"classes":{"Note":{"fields":{"x":{"read":false,"write":true}}}}}}"#,
      "/a/classes/Note/fields/x", .contradiction
    ),
    (#"{"a":{"classes":{"Note":{"fields":{"x":{"read":1}}}}}}"#, "/a/classes/Note/fields/x/read", .wrongType),
    (#"{"a":{"classes":{"Nope":{}}}}"#, "/a/classes/Nope", .unknownClass),
    (#"{"a":{"classes":{"Place":{}}}}"#, "/a/classes/Place", .embeddedClass),
    (#"{"a":{"classes":{"Note":{"fields":{"x":{}}}}}}"#, "", nil),
    (
      #"{"a":{"classes":{"Note":{"fields":{"x":{"write":false}}}}}}"#, "/a/classes/Note/fields/x",
      .unknownProperty
    ),
    (
      #"{"a":{"classes":{"Note":{"fields":{"id":{"read":false}}}}}}"#, "/a/classes/Note/fields/id",
      .contradiction
    ),
    (#"{"a":{"classes":{"Note":{"read":"id == 1 LIMIT(1)"}}}}"#, "/a/classes/Note/read", .clauses),
    (#"{"a":{"classes":{"*":{"read":"id == 1"}}}}"#, "/a/classes/*/read", .wrongType),
    (#"{"a":{"classes":{"Note":{"quota":3}}}}"#, "/a/classes/Note/quota", .notADocument),
    (#"{"a":{"classes":{"Note":{"quota":{"rows":3}}}}}"#, "/a/classes/Note/quota/rows", .unknownMember),
    (#"{"a":{"classes":{"Note":{"quota":{"objects":-1}}}}}"#, "/a/classes/Note/quota/objects", .notACount),
    (#"{"a":{"classes":{"Note":{"quota":{"bytes":1.5}}}}}"#, "/a/classes/Note/quota/bytes", .notACount),
  ])
  func `what is no document of roles is refused`(
    text: String, pointer: String, rule: PolicyError.Rule?
  ) throws {
    let (notation, schema) = (try Value(json: text), try Library.schema())
    var found: PolicyError?
    do throws(PolicyError) { try Policy(notation: notation).validate(in: schema) } catch { found = error }
    #expect(found == rule.map { PolicyError(pointer: pointer, rule: $0) })
  }

  @Test func `a filter that means nothing is refused`() throws {
    let policy = try Policy(notation: Value(json: #"{"a":{"classes":{"Note":{"read":"nope == 1"}}}}"#))
    let error = #expect(throws: PolicyError.self) { try policy.validate(in: Library.schema()) }
    guard case .filter? = error?.rule else {
      Issue.record("\(error as Any)")
      return
    }
  }
}
