import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

@testable import GatehouseAccess

/// The rights of users with several roles.
@Suite struct RoleCombinationTests {
  /// Roles for notes; the names tell what they read and write.
  private static let roles = """
    {"own":{"classes":{"Note":{"read":"owner == %%user.id","write":true}}},\
    "starred":{"classes":{"Note":{"read":"stars > 3","fields":{"secret":{"read":false}}}}},\
    "plain":{"classes":{"Note":{"read":true,"fields":{"secret":{"read":false},"text":{"read":false}}}}},\
    "open":{"classes":{"Note":{"read":true}}},\
    "box":{"classes":{"Note":{"write":true}}},\
    "editor":{"classes":{"Note":{"read":true,"write":true,"fields":{"stars":{"write":false}}}}},\
    "editor2":{"classes":{"Note":{"read":true,"write":"stars == 1"},"*":{"read":true}},"recordsEvents":true},\
    "team":{"classes":{"Note":{"read":"text == %%user.data.team","write":"text == %%user.data.team"}}},\
    "user":{"classes":{"Topic":{"read":true}}}}
    """

  private static func keyring() throws -> Keyring {
    var keyring = Keyring()
    keyring.policy = try Policy(notation: Value(json: roles))
    try keyring.policy.validate(in: Library.schema())
    return keyring
  }

  private static func permit(_ names: [String]) throws -> Permit {
    let values = CallerValues(["id": .string("me"), "data": .document([:])])
    let role = try keyring().role(ofUserWith: names)
    return Permit(Principal(.user(id: "me"), role: role, values: values), in: try Library.schema())
  }

  /// The objects that match the filter: `all` and `none` for what they say.
  private static func extent(_ filter: String) throws -> ClassPermit.Extent {
    switch filter {
    case "all": .all
    case "none": .none
    default:
      .some(try Library.plan(QueryRequest(filter: filter, arguments: [.string("me")])).predicate)
    }
  }

  @Test(
    arguments: [
      (["few"], Quota(objects: 1, bytes: 9)), (["few", "more"], Quota(objects: 5)),
      (["more"], Quota(objects: 5)),
      // Who may write without a quota has none; who may not write takes none away.
      (["few", "free"], nil), (["few", "open"], Quota(objects: 1, bytes: 9)), (["open"], nil),
      (["few", "box"], Quota(objects: 1, bytes: 9)),
    ] as [([String], Quota?)])
  func `the largest quota is that of several roles`(names: [String], quota: Quota?) throws {
    let own = #""read":"owner == %%user.id","write":"owner == %%user.id""#
    let roles = """
      {"few":{"classes":{"Note":{\(own),"quota":{"objects":1,"bytes":9}}}},
       "more":{"classes":{"Note":{\(own),"quota":{"objects":5}}}},
       "free":{"classes":{"Note":{\(own)}}}, "open":{"classes":{"Note":{"read":true}}},
       "box":{"classes":{"Note":{"write":true}}}}
      """
    var keyring = Keyring()
    keyring.policy = try Policy(notation: Value(json: roles))
    let values = CallerValues(["id": .string("me")])
    let role = keyring.role(ofUserWith: names)
    let permit = Permit(Principal(.user(id: "me"), role: role, values: values), in: try Library.schema())
    #expect(permit["Note"].quota == quota)
  }

  @Test(arguments: [
    (["own"], "owner == $0", "all", [], []), (["open"], "all", "none", [], []),
    // A role changes only objects that it reads itself.
    (["own", "starred"], "(owner == $0) OR (stars > 3)", "owner == $0", ["secret"], []),
    (["own", "open"], "all", "owner == $0", [], []), (["box"], "none", "all", [], []),
    (["box", "open"], "all", "none", [], []), (["editor", "own"], "all", "all", [], ["stars"]),
    // A property is shown where another role shows it for the same objects.
    (["starred", "plain"], "all", "none", ["secret", "text"], []),
    (["starred", "open"], "all", "none", [], []),
    (["plain", "open"], "all", "none", [], []),
    (["own", "plain"], "all", "owner == $0", ["secret", "text"], []),
    (["editor", "editor2"], "all", "all", [], ["stars"]), (["editor2"], "all", "stars == 1", [], []),
    // A filter that the caller has no value for takes nothing from the others; neither does a role that is gone.
    (["team", "own"], "owner == $0", "owner == $0", [], []), (["team"], "none", "none", [], []),
    (["gone", "open"], "all", "none", [], []), (["gone"], "none", "none", [], []),
    (["admin"], "none", "none", [], []),
  ])
  func `rights add up, and to no more than each role gives`(
    names: [String], read: String, write: String, hidden: [String], fixed: [String]
  ) throws {
    let permit = try Self.permit(names)["Note"]
    #expect(permit.read == (try Self.extent(read)))
    #expect(permit.write == (try Self.extent(write)))
    let type = try #require(Library.schema()["Note"])
    let name = { (index: Int) in type.properties[index].name }
    #expect(permit.hidden.map(name).sorted() == hidden)
    if permit.write != .none { #expect(permit.fixed.subtracting(permit.hidden).map(name).sorted() == fixed) }
  }

  @Test func `classes that one role names have in another the rights of those that it does not`() throws {
    let permit = try Self.permit(["own", "editor2"])
    #expect(permit["Topic"].read == .all && permit["Topic"].write == .none)
    let role = try Self.keyring().role(ofUserWith: ["own", "editor2"])
    #expect(role.recordsEvents && !role.isAdministrator)
  }

  @Test func `who was given no role has that of users`() throws {
    #expect(try Self.permit(["user"])["Topic"].read == .all)
    #expect(try Self.permit(["user"])["Note"].read == .none)
    #expect(try Self.permit([])["Topic"].read == .none)
  }

  @Test func `a role knows whether it asks for the time`() throws {
    let policy = try Policy(
      notation: Value(
        json:
          #"{"a":{"classes":{"Note":{"read":"mix > %%now"}}},"b":{"classes":{"Note":{"read":"stars > 1"}}}}"#)
    )
    #expect(policy.roles["a"]?.usesTime == true && policy.roles["b"]?.usesTime == false)
  }
}
