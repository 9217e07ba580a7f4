import RealmSwift
import Testing

private final class Walker: Object {
  @Persisted var name: String
  @Persisted var age = 3
  @Persisted var nickname: String?
}

struct PersistedTests {
  @Test func `an object in no Realm has its defaults, and what is assigned`() {
    let walker = Walker()
    #expect(walker.name == "")
    #expect(walker.age == 3)
    #expect(walker.nickname == nil)
    walker.name = "Rex"
    walker.nickname = "R"
    #expect(walker.name == "Rex")
    #expect(walker.nickname == "R")
  }
}
