import Foundation
import RealmSwift
import Testing

private final class DogTitle: Projection<Dog> {
  @Projected(\Dog.name) var title
}

@MainActor struct ObservedTests {
  private let realm: Realm
  private let rex: Dog

  init() throws {
    realm = try Realms.open()
    rex = Dog(value: [
      "name": "Rex", "age": 3, "friends": [["name": "Max"]], "tags": ["a"], "scores": ["k": 1],
    ])
    try realm.write { [realm, rex] in realm.add(rex) }
  }

  private func deleteRex() throws { try realm.write { realm.delete(rex) } }

  @Test func `an object that is gone is shown as a new one, and its bindings keep what they showed`() throws {
    @StateRealmObject var state = rex
    @ObservedRealmObject var observed = rex
    @ObservedRealmObject var title = DogTitle(projecting: rex)
    @ObservedRealmObject var friends = rex.friends
    @ObservedRealmObject var tags = rex.tags
    @ObservedRealmObject var scores = rex.scores
    let (age, others) = ($observed.age, $friends)
    #expect(state.age == 3 && observed.name == "Rex" && title.title == "Rex" && friends.count == 1)
    #expect(age.wrappedValue == 3)
    try deleteRex()
    #expect(state.age == 0 && state.realm == nil)
    #expect(observed.name.isEmpty && observed.friends.isEmpty && observed.realm == nil)
    #expect(title.title.isEmpty)
    #expect(friends.isEmpty && tags.isEmpty && scores.count == 0)
    #expect(age.wrappedValue == 3)
    age.wrappedValue = 9
    others.append(Dog())
    $observed.age.wrappedValue = 9
    $friends.append(Dog())
    $tags.insert("x")
    $scores.set(object: 1, for: "x")
    #expect(age.wrappedValue == 3 && $observed.age.wrappedValue == 0 && observed.age == 0)
    #expect(friends.isEmpty && realm.objects(Dog.self).count == 1)
  }

  @Test func `collections that are shown change in transactions of their own`() throws {
    @ObservedRealmObject var friends = rex.friends
    @StateRealmObject var tags = rex.tags
    @ObservedRealmObject var scores = rex.scores
    $friends.append(Dog(value: ["name": "Ben"]))
    #expect(friends.map(\.name) == ["Max", "Ben"])
    $friends.move(fromOffsets: [1], toOffset: 0)
    #expect(friends.map(\.name) == ["Ben", "Max"])
    // Elements are frozen as they are shown.
    $friends.append(friends[0])
    $friends.remove(friends[1])
    #expect(friends.map(\.name) == ["Ben", "Ben"])
    $friends.remove(atOffsets: [0])
    #expect(rex.friends.map(\.name) == ["Ben"])
    $tags.insert("b")
    $tags.remove("a")
    #expect(Array(tags) == ["b"])
    $scores.set(object: 2, for: "l")
    $scores.set(object: nil, for: "k")
    #expect(scores.keys == ["l"] && scores["l"] == 2)
  }

  @Test func `collections of an object that is shown change in the same way`() throws {
    @ObservedRealmObject var dog = rex
    $dog.friends.append(Dog(value: ["name": "Ben"]))
    $dog.friends.move(fromOffsets: [1], toOffset: 0)
    $dog.friends.remove(dog.friends[1])
    #expect(dog.friends.map(\.name) == ["Ben"])
    $dog.friends.remove(atOffsets: [0])
    $dog.tags.insert("b")
    $dog.tags.remove("a")
    $dog.scores.set(object: 7, for: "k")
    #expect(dog.friends.isEmpty && Array(dog.tags) == ["b"] && dog.scores["k"] == 7)
    let person = Person()
    try realm.write { realm.add(person) }
    @StateRealmObject var owner = person
    $owner.favourites.set(object: dog, for: "first")
    #expect(person.favourites["first"]??.isSameObject(as: rex) == true)
  }

  @Test func `results that are shown take other conditions and orders`() throws {
    @ObservedResults(Dog.self, configuration: realm.configuration) var dogs
    #expect(dogs.count == 2)
    $dogs.where = { $0.name == "Rex" }
    #expect(dogs.map(\.name) == ["Rex"] && $dogs.filter == nil)
    $dogs.filter = RealmPredicate(format: "name == 'Max'")
    #expect(dogs.map(\.name) == ["Max"] && $dogs.where == nil)
    $dogs.filter = nil
    $dogs.sortDescriptor = SortDescriptor(keyPath: "name", ascending: false)
    #expect(dogs.map(\.name) == ["Rex", "Max"])
    @ObservedSectionedResults(
      Dog.self, sectionBlock: { $0.age }, sortDescriptors: [SortDescriptor(keyPath: "name")],
      configuration: realm.configuration) var ages
    #expect(ages.allKeys == [0, 3])
    $ages.sortDescriptors = [SortDescriptor(keyPath: "name", ascending: false)]
    #expect(ages.allKeys == [3, 0])
    $ages.where = { $0.age > 1 }
    #expect(ages.allKeys == [3] && $ages.filter == nil)
    $ages.filter = RealmPredicate(format: "age == 0")
    #expect(ages.allKeys == [0] && $ages.where == nil)
    @ObservedSectionedResults(
      Dog.self, sectionKeyPath: \.age, where: { $0.age > 1 }, configuration: realm.configuration) var old
    #expect(old.allKeys == [3])
  }
}
