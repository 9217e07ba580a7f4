import Foundation
import RealmSwift
import Testing

/// Loops over objects, whose values are read in pages.
struct LoopTests {
  private static let count = 700

  private static func name(_ number: Int) -> String { String(format: "d%03d", number) }

  private let configuration = Realms.configuration()

  private func makeRealm() throws -> Realm {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for number in 0..<Self.count { realm.add(Dog(value: ["name": Self.name(number), "age": number])) }
    }
    return realm
  }

  @Test func `objects come in the order of the results, with their values`() throws {
    let realm = try makeRealm()
    let dogs = realm.objects(Dog.self)
    let numbers = Array(0..<Self.count)
    #expect(dogs.sorted(byKeyPath: "name").map(\.age) == numbers)
    #expect(dogs.sorted(byKeyPath: "age", ascending: false).map(\.name) == numbers.reversed().map(Self.name))
    // Keys that lie far from each other.
    #expect(dogs.filter("age IN {0, 350, 699}").sorted(byKeyPath: "age").map(\.age) == [0, 350, 699])
    #expect(dogs.freeze().sorted(byKeyPath: "age").map(\.age) == numbers)
  }

  @Test func `a list may have an object more than once`() throws {
    let realm = try makeRealm()
    let rex = Dog(value: ["name": "Rex", "age": -1])
    try realm.write {
      realm.add(rex)
      for dog in realm.objects(Dog.self).filter("age < 20") { rex.friends.append(objectsIn: [dog, rex]) }
    }
    #expect(rex.friends.map(\.age) == rex.friends.indices.map { rex.friends[$0].age })
    #expect(Set(rex.friends.map(\.age)) == Set(-1..<20))
  }

  @Test func `a loop shows what is written in it`() throws {
    let realm = try makeRealm()
    var ages: [Int] = []
    try realm.write {
      for dog in realm.objects(Dog.self).sorted(byKeyPath: "name") {
        ages.append(dog.age)
        let next = realm.object(ofType: Dog.self, forPrimaryKey: Self.name(ages.count))
        next?.age = 2 * ages.count
      }
    }
    #expect(ages == (0..<Self.count).map { 2 * $0 })
    #expect(realm.objects(Dog.self).sorted(byKeyPath: "name").map(\.age) == ages)
  }

  @Test func `an object that is deleted in a loop is invalid when its turn comes`() throws {
    let realm = try makeRealm()
    var valid = 0
    try realm.write {
      for (number, dog) in realm.objects(Dog.self).sorted(byKeyPath: "name").enumerated() {
        guard !dog.isInvalidated else { continue }
        valid += 1
        #expect(dog.age == number)
        if number % 2 == 0, let next = realm.object(ofType: Dog.self, forPrimaryKey: Self.name(number + 1)) {
          realm.delete(next)
        }
      }
    }
    #expect(valid == Self.count / 2)
    #expect(realm.objects(Dog.self).count == Self.count / 2)
  }
}
