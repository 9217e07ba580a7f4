import GatehouseAccess
import GatehouseBSON
import Testing

@Suite struct KeyTests {
  private let made = APIKey.make(
    name: "reports", role: "read", classes: ["Note"], created: Date(seconds: 1_700_000_000))

  private func principal(_ text: String, _ policy: Policy = Policy()) -> Principal? {
    var keyring = Keyring()
    keyring.policy = policy
    keyring.add(made.key)
    return keyring.principal(showing: text)
  }

  @Test func `a key is known by its text, and is nowhere else`() throws {
    let record = try #require(APIKey(record: made.key.record))
    #expect(record == made.key)
    let token = try #require(APIKey.Token(made.text))
    #expect(record.matches(token))
    let secret = try #require(made.text.split(separator: "_").last)
    #expect(secret.count == 64 && !"\(made.key)".contains(secret) && !"\(record.record)".contains(secret))
  }

  @Test func `a key stands for its role, limited to its classes`() {
    let found = principal(made.text)
    #expect(found?.role.classes == ["Note": ClassRole(read: .always, write: .never)])
    #expect(found?.role.others == ClassRole.none && found?.role.isAdministrator == false)
  }

  @Test(arguments: ["", "gk_", "gk__", "x", "gk_5f0000000000000000000001_00"])
  func `what is no key is nobody's`(text: String) {
    #expect(principal(text) == nil)
  }

  @Test func `one digit more, less or another makes it another key`() {
    #expect(principal(made.text + "0") == nil)
    #expect(principal(String(made.text.dropLast())) == nil)
    #expect(principal(made.text.dropLast() + (made.text.hasSuffix("0") ? "1" : "0")) == nil)
    let other = APIKey.make(name: "", role: "admin", classes: [], created: Date(seconds: 0))
    #expect(principal(other.text) == nil)
  }

  @Test func `a key whose role is no more is nobody's`() {
    let made = APIKey.make(name: "", role: "editor", classes: [], created: Date(seconds: 0))
    var keyring = Keyring()
    keyring.add(made.key)
    #expect(keyring.principal(showing: made.text) == nil)
    keyring.policy = Policy(["editor": Role("editor")])
    #expect(keyring.principal(showing: made.text)?.role == Role("editor"))
  }

  @Test func `everything is open until there is a key, and never again`() {
    var keyring = Keyring()
    #expect(!keyring.isGuarded && keyring.anyone?.role == .administrator)
    keyring.add(made.key)
    #expect(keyring.isGuarded && keyring.anyone == nil)
    #expect(keyring.remove(made.key.id) && !keyring.remove(made.key.id))
    #expect(keyring.isGuarded && keyring.anyone == nil && keyring.principal(showing: made.text) == nil)
    keyring.policy = Policy(["anyone": Role("anyone")])
    #expect(keyring.anyone?.role == Role("anyone"))
  }

  @Test func `the operator's key is the administrator's`() {
    #expect(AdminKey("123456789012345") == nil)
    let keyring = Keyring(adminKey: AdminKey("1234567890123456"))
    #expect(keyring.isGuarded && keyring.anyone == nil)
    #expect(keyring.principal(showing: "1234567890123456")?.role == .administrator)
    #expect(keyring.principal(showing: "1234567890123457") == nil)
  }

  @Test func `an administrator's key for some classes is no administrator's`() {
    let role = Role.administrator.limited(to: ["Note"])
    #expect(!role.isAdministrator && !role.isUnbounded && role.classes == ["Note": .all])
  }
}
