import GatehouseAccess
import GatehouseBSON
import Testing

@Suite struct UserKeyTests {
  private static let user = ObjectID.generate()

  @Test func `a key matches its own text only, also after it was stored`() throws {
    let (key, text) = UserKey.make("phone", of: Self.user)
    let (other, otherText) = UserKey.make("phone", of: Self.user)
    let stored = try #require(UserKey(record: key.record))
    #expect(stored == key)
    #expect(UserKey.id(in: text) == key.id)
    #expect(key.matches(text) && stored.matches(text))
    #expect(!key.matches(otherText) && !other.matches(text))
    #expect(!key.matches(text + "0") && !key.matches(text.uppercased()) && !key.matches(""))
    #expect(!key.matches("uk_\(key.id)_\(otherText.suffix(64))"))
  }

  @Test(arguments: ["", "uk_", "gk_5f0000000000000000000001_00", "uk_5f00_00", "uk_5f0000000000000000000001"])
  func `a text of another form has no identifier`(text: String) {
    #expect(UserKey.id(in: text) == nil)
  }

  @Test func `a key is shown and stored without its secret`() {
    let (key, text) = UserKey.make("phone", of: Self.user)
    let secret = String(text.suffix(64))
    #expect(key.summary.elements.map(\.key) == ["_id", "name", "disabled"])
    #expect(!"\(key.summary)\(key.record)".contains(secret))
  }

  @Test(arguments: [
    ("a", true), ("Phone-2_b", true), (String(repeating: "a", count: 100), true), ("", false), ("a b", false),
    ("é", false), (String(repeating: "a", count: 101), false),
  ])
  func `a name is of letters, digits and two signs`(name: String, isLegal: Bool) {
    #expect(UserKey.isName(name) == isLegal)
  }

  @Test(arguments: ["id", "user", "name", "disabled", "hash"])
  func `a record that lacks a member is no key`(member: String) {
    var record = UserKey.make("phone", of: Self.user).key.record
    record.elements.removeAll { $0.key == member }
    #expect(UserKey(record: record) == nil)
  }
}
