import Dispatch
import Foundation
import RealmSwift
import Synchronization
import Testing

/// Changes that an observer was told, in order.
private final class Told: Sendable {
  private let texts = Mutex<[String]>([])
  private let waiting = DispatchSemaphore(value: 0)

  func add(_ text: String) {
    texts.withLock { $0.append(text) }
    waiting.signal()
  }

  /// Waits for the next change; returns it.
  func next() -> String {
    waiting.wait()
    return texts.withLock { $0.removeFirst() }
  }
}

private func text<C: RealmCollection>(_ change: RealmCollectionChange<C>) -> String {
  switch change {
  case .initial(let collection): "initial \(collection.count)"
  case .update(let collection, let deletions, let insertions, let modifications):
    "\(collection.count): -\(deletions) +\(insertions) ~\(modifications)"
  case .error(let error): "\(error)"
  }
}

struct NotificationTests {
  private let queue = DispatchQueue(label: "notifications")
  private let configuration = Realms.configuration()

  @Test func `results tell of what changes, also by other threads`() throws {
    let realm = try Realm(configuration: configuration)
    let told = Told()
    let token = realm.objects(Dog.self).sorted(byKeyPath: "name").observe(on: queue) { told.add(text($0)) }
    #expect(told.next() == "initial 0")
    try realm.write {
      realm.create(Dog.self, value: ["name": "Rex"])
      realm.create(Dog.self, value: ["name": "Ben"])
    }
    #expect(told.next() == "2: -[] +[0, 1] ~[]")
    try realm.write { realm.objects(Dog.self).filter("name == 'Rex'").first?.age = 4 }
    #expect(told.next() == "2: -[] +[] ~[1]")
    try realm.write {
      realm.delete(realm.objects(Dog.self).filter("name == 'Ben'"))
      realm.create(Dog.self, value: ["name": "Tim"])
    }
    #expect(told.next() == "2: -[0] +[1] ~[]")
    token.invalidate()
  }

  @Test func `lists tell of the places of their elements`() throws {
    let realm = try Realm(configuration: configuration)
    let all = Everything()
    try realm.write { realm.add(all) }
    let told = Told()
    let token = all.ints.observe(on: queue) { told.add(text($0)) }
    #expect(told.next() == "initial 0")
    try realm.write { all.ints.append(objectsIn: [1, 1, 1]) }
    #expect(told.next() == "3: -[] +[0, 1, 2] ~[]")
    try realm.write {
      all.ints.remove(at: 1)
      all.ints[0] = 1
    }
    #expect(told.next() == "2: -[1] +[] ~[0]")
    try realm.write { all.ints.insert(5, at: 0) }
    #expect(told.next() == "3: -[] +[0] ~[]")
    token.invalidate()
  }

  @Test func `key paths leave other changes out`() throws {
    let realm = try Realm(configuration: configuration)
    let rex = Dog(value: ["name": "Rex"])
    try realm.write { realm.add(rex) }
    let told = Told()
    let token = realm.objects(Dog.self).observe(keyPaths: [\Dog.age], on: queue) { told.add(text($0)) }
    #expect(told.next() == "initial 1")
    try realm.write { rex.weight = 2 }
    try realm.write { rex.age = 2 }
    #expect(told.next() == "1: -[] +[] ~[0]")
    token.invalidate()
  }

  @Test func `objects tell of their properties, and of their end`() throws {
    let realm = try Realm(configuration: configuration)
    let rex = Dog(value: ["name": "Rex", "age": 1])
    try realm.write { realm.add(rex) }
    let told = Told()
    let started = DispatchSemaphore(value: 0)
    let token = rex.observe(on: queue) { (change: ObjectChange<Dog>) in
      switch change {
      case .change(let dog, let properties):
        told.add(
          dog.name
            + properties.map { " \($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")" }.joined())
      case .deleted: told.add("deleted")
      case .error(let error): told.add("\(error)")
      }
    }
    queue.async { started.signal() }
    started.wait()
    try realm.write { rex.age = 2 }
    #expect(told.next() == "Rex age 1 2")
    try realm.write { realm.delete(rex) }
    #expect(told.next() == "deleted")
    token.invalidate()
  }

  @Test func `maps tell of their keys`() throws {
    let realm = try Realm(configuration: configuration)
    let rex = Dog(value: ["name": "Rex", "scores": ["a": 1, "b": 2]])
    try realm.write { realm.add(rex) }
    let told = Told()
    let token = rex.scores.observe(on: queue) { change in
      switch change {
      case .initial(let map): told.add("initial \(map.count)")
      case .update(_, let deletions, let insertions, let modifications):
        told.add("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): told.add("\(error)")
      }
    }
    #expect(told.next() == "initial 2")
    try realm.write {
      rex.scores["a"] = nil
      rex.scores["b"] = 3
      rex.scores["c"] = 4
    }
    #expect(told.next() == #"-["a"] +["c"] ~["b"]"#)
    token.invalidate()
  }

  @Test func `sections tell of sections and rows`() throws {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for (name, age) in [("Rex", 3), ("Max", 5), ("Tim", 3)] {
        realm.create(Dog.self, value: ["name": name, "age": age])
      }
    }
    let told = Told()
    let token = realm.objects(Dog.self).sectioned(by: \.age).observe(on: queue) { change in
      switch change {
      case .initial(let sections): told.add("initial \(sections.count)")
      case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
        let paths = [deletions, insertions, modifications].map { $0.map { Array($0) } }
        told.add("-\(paths[0]) +\(paths[1]) ~\(paths[2]) +\(Array(inserted)) -\(Array(deleted))")
      }
    }
    #expect(told.next() == "initial 2")
    try realm.write { realm.objects(Dog.self).filter("name == 'Tim'").first?.weight = 2 }
    #expect(told.next() == "-[] +[] ~[[0, 1]] +[] -[]")
    try realm.write { realm.objects(Dog.self).filter("name == 'Max'").first?.age = 1 }
    #expect(told.next() == "-[] +[[0, 0]] ~[] +[0] -[1]")
    token.invalidate()
  }

  @Test func `maps tell of the properties of their objects that key paths name`() throws {
    let realm = try Realm(configuration: configuration)
    let (ann, rex) = (Person(value: ["name": "Ann"]), Dog(value: ["name": "Rex", "age": 1]))
    try realm.write {
      realm.add([ann, rex])
      ann.favourites["first"] = rex
    }
    let told = Told()
    let token = ann.favourites.observe(keyPaths: ["age"], on: queue) { change in
      switch change {
      case .initial(let map): told.add("initial \(map.count)")
      case .update(_, let deletions, let insertions, let modifications):
        told.add("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): told.add("\(error)")
      }
    }
    #expect(told.next() == "initial 1")
    // The first two commits are none of its.
    try realm.write { rex.weight = 7 }
    try realm.write { ann.name = "Anna" }
    try realm.write { rex.age = 2 }
    #expect(told.next() == #"-[] +[] ~["first"]"#)
    try realm.write { ann.favourites["second"] = rex }
    #expect(told.next() == #"-[] +["second"] ~[]"#)
    token.invalidate()
  }

  @Test func `values of a list's objects tell of their places`() throws {
    let realm = try Realm(configuration: configuration)
    let rex = Dog(value: ["name": "Rex"])
    try realm.write {
      realm.add(rex)
      rex.friends.append(objectsIn: ["Max", "Tim"].map { Dog(value: ["name": $0, "age": 1]) })
    }
    let told = Told()
    let ages: ProjectedCollection<Int> = rex.friends.projectTo.age
    let token = ages.observe(on: queue) { change in
      switch change {
      case .initial(let ages): told.add("initial \(Array(ages))")
      case .update(let ages, let deletions, let insertions, let modifications):
        told.add("\(Array(ages)): -\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): told.add("\(error)")
      }
    }
    #expect(told.next() == "initial [1, 1]")
    // Another property is none of its.
    try realm.write { rex.friends[0].weight = 7 }
    try realm.write { rex.friends[1].age = 2 }
    #expect(told.next() == "[1, 2]: -[] +[] ~[1]")
    try realm.write { rex.friends.remove(at: 0) }
    #expect(told.next() == "[2]: -[0] +[] ~[]")
    token.invalidate()
  }

  @Test func `commits that come to nothing before an observer sees them are nothing`() throws {
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    let told = Told()
    let token = realm.objects(Dog.self).sorted(byKeyPath: "name").observe(on: queue) { told.add(text($0)) }
    #expect(told.next() == "initial 1")
    queue.suspend()
    try realm.write { realm.create(Dog.self, value: ["name": "Max"]) }
    try realm.write { realm.delete(realm.objects(Dog.self).filter("name == 'Max'")) }
    queue.resume()
    // Nothing has been told of them when this returns.
    queue.sync {}
    try realm.write { realm.create(Dog.self, value: ["name": "Tim"]) }
    #expect(told.next() == "2: -[] +[1] ~[]")
    token.invalidate()
  }
}
