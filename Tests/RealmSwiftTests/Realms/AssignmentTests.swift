import RealmSwift
import Testing

/// Collections of objects that are in no Realm, to which others are assigned.
struct AssignmentTests {
  @Test func `a list that is assigned gives its elements to the one that is there`() {
    let (a, b) = (Dog(), Dog())
    let list = a.friends
    b.friends.append(Dog())
    a.friends = b.friends
    b.friends.append(Dog())
    #expect(a.friends.count == 1 && a.friends === list && a.friends !== b.friends)
    a.friends = a.friends
    #expect(a.friends.count == 1)
    // One that nobody has asked for before is one of its own, too.
    let c = Dog()
    c.friends = b.friends
    b.friends.removeAll()
    #expect(c.friends.count == 2)
    c.setValue([Dog()], forKey: "friends")
    #expect(c.friends.count == 1)
  }

  @Test func `sets and maps are assigned in the same way`() {
    let (a, b) = (Dog(), Dog())
    let (tags, scores) = (a.tags, a.scores)
    b.tags.insert("x")
    b.scores["k"] = 1
    (a.tags, a.scores) = (b.tags, b.scores)
    b.tags.insert("y")
    b.scores["l"] = 2
    #expect(Array(a.tags) == ["x"] && a.tags === tags)
    #expect(a.scores.keys == ["k"] && a.scores["k"] == 1 && a.scores === scores)
  }

  @Test func `collections of managed objects are copied to others`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "tags": ["a"]])
    try realm.write { realm.add(rex) }
    let max = Dog()
    max.tags = rex.tags
    try realm.write { rex.tags.insert("b") }
    #expect(Array(max.tags) == ["a"] && max.tags.realm == nil)
  }
}
