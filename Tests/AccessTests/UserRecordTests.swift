import GatehouseAccess
import GatehouseBSON
import Testing

@Suite struct UserRecordTests {
  private static let anonymous = User.Identity(User.Identity.anonymous, "1")
  private static let password = User.Identity(User.Identity.password, "a@b.example")

  @Test func `a user with several identities is read as stored`() throws {
    var user = User(Self.anonymous, data: ["name": .string("A")])
    #expect(user.isAnonymous)
    user.link(Self.password, data: ["email": .string("a@b.example"), "name": .string("B")])
    user.link(Self.password, data: [:])
    user.isDisabled = true
    #expect(!user.isAnonymous)
    #expect(user.identities == [Self.anonymous, Self.password])
    #expect(user.data == ["name": .string("B"), "email": .string("a@b.example")])
    #expect(User(id: user.id, record: user.record) == user)
  }

  @Test func `filters see the identifier, the data and the identities`() {
    let user = User(Self.password, data: ["name": .string("A")])
    #expect(
      user.values.document == [
        "id": .string(user.id.description), "type": .string("normal"),
        "data": .document(["name": .string("A")]), "custom_data": [:],
        "roles": .array([.string("user")]),
        "identities": .array([
          .document(["id": .string("a@b.example"), "provider_type": .string("local-userpass")])
        ]),
      ])
  }

  @Test func `roles are kept by who gave them, and are those of both`() {
    var user = User(Self.anonymous, data: [:])
    #expect(user.roles == ["user"])
    user.claimedRoles = ["b", "c"]
    #expect(user.roles == ["b", "c"])
    user.grantedRoles = ["a", "b"]
    #expect(user.roles == ["a", "b", "c"] && user.values.roles == ["a", "b", "c"])
    #expect(User(id: user.id, record: user.record) == user)
  }

  @Test(arguments: ["identities", "data", "disabled"])
  func `a record that lacks a member is no user`(member: String) {
    let user = User(Self.anonymous, data: [:])
    var record = user.record
    record.elements.removeAll { $0.key == member }
    #expect(User(id: user.id, record: record) == nil)
  }

  @Test(arguments: [
    ("a", true), ("naïve 🙂", true), (String(repeating: "a", count: 1_024), true), ("", false),
    ("a\nb", false),
    ("a\0", false), (String(repeating: "a", count: 1_025), false),
  ])
  func `a subject is text without controls`(text: String, isLegal: Bool) {
    #expect(User.Identity.isSubject(text) == isLegal)
  }
}
