import Dispatch
import Foundation
import Observation
import RealmSwift
import Synchronization
import Testing

/// Changes as sequences, by Observation, and for Realms that are not refreshed.
@MainActor
struct ChangeTests {
  private static func text<C: RealmCollection>(_ change: RealmCollectionChange<C>?) -> String {
    switch change {
    case .initial(let collection)?: "initial \(collection.count)"
    case .update(let collection, let deletions, let insertions, let modifications)?:
      "\(collection.count): -\(deletions) +\(insertions) ~\(modifications)"
    case .error(let error)?: "\(error)"
    case nil: "end"
    }
  }

  @Test func `changes that nobody asks for meanwhile come as one`() async throws {
    let realm = try await Realm(configuration: Realms.configuration())
    let changes = realm.objects(Dog.self).sorted(byKeyPath: "name").changes().makeAsyncIterator()
    #expect(Self.text(await changes.next()) == "initial 0")
    for name in ["Rex", "Max", "Ben"] {
      try realm.write { realm.create(Dog.self, value: ["name": name]) }
    }
    #expect(Self.text(await changes.next()) == "3: -[] +[0, 1, 2] ~[]")
    try realm.write { realm.delete(realm.objects(Dog.self).filter("name == 'Max'")) }
    #expect(Self.text(await changes.next()) == "2: -[1] +[] ~[]")
  }

  @Test func `changes of an object end with it`() async throws {
    let realm = try await Realm(configuration: Realms.configuration())
    let rex = Dog(value: ["name": "Rex", "age": 1])
    try realm.write { realm.add(rex) }
    let changes = rex.changes(keyPaths: ["age"]).makeAsyncIterator()
    try realm.write { rex.age = 2 }
    guard case .change(let object, let properties)? = await changes.next() else {
      Issue.record("no change")
      return
    }
    #expect(object.age == 2)
    #expect(properties.map(\.name) == ["age"])
    try realm.write { realm.delete(rex) }
    guard case .deleted? = await changes.next() else {
      Issue.record("not deleted")
      return
    }
    #expect(await changes.next() == nil)
  }

  @Test func `a Realm that is not refreshed says that there is something new`() async throws {
    let configuration = Realms.configuration()
    let realm = try await Realm(configuration: configuration)
    realm.autorefresh = false
    var token: NotificationToken?
    let told: Realm.Notification = await withCheckedContinuation { done in
      var isTold = false
      token = realm.observe { notification, _ in
        if !isTold { done.resume(returning: notification) }
        isTold = true
      }
      Thread.detachNewThread {
        guard let other = try? Realm(configuration: configuration) else { return }
        try? other.write { _ = other.create(Dog.self, value: ["name": "Rex"]) }
      }
    }
    #expect(told == .refreshRequired)
    #expect(realm.isEmpty)
    #expect(realm.refresh())
    #expect(!realm.isEmpty)
    token?.invalidate()
  }

  @Test func `wrappers show what there is, and write by themselves`() async throws {
    let configuration = Realms.configuration()
    let realm = try await Realm(configuration: configuration)
    @ObservedResults(
      Dog.self, configuration: configuration, where: { $0.age > 1 },
      sortDescriptor: RealmSwift.SortDescriptor(keyPath: "name")) var dogs
    #expect(dogs.isEmpty)
    await confirmation { confirm in
      await withCheckedContinuation { done in
        withObservationTracking {
          _ = dogs.count
        } onChange: {
          confirm()
          done.resume()
        }
        $dogs.append(Dog(value: ["name": "Rex", "age": 3]))
        $dogs.append(Dog(value: ["name": "Ben", "age": 1]))
      }
    }
    #expect(dogs.map(\.name) == ["Rex"])
    #expect(dogs.isFrozen)
    @ObservedRealmObject var rex = try #require(dogs.first)
    $rex.age.wrappedValue = 5
    $rex.toys.append(Toy(value: ["brand": "A"]))
    #expect(realm.object(ofType: Dog.self, forPrimaryKey: "Rex")?.age == 5)
    #expect(realm.object(ofType: Dog.self, forPrimaryKey: "Rex")?.toys.count == 1)
    $dogs.remove(atOffsets: [0])
    #expect(realm.objects(Dog.self).map(\.name) == ["Ben"])
    @ObservedSectionedResults(Dog.self, sectionKeyPath: \.age, configuration: configuration) var ages
    #expect(ages.allKeys == [1])
  }

  @Test func `properties that tracked code reads tell of their changes`() async throws {
    let realm = try await Realm(configuration: Realms.configuration())
    let (rex, max) = (Dog(value: ["name": "Rex", "age": 1]), Dog(value: ["name": "Max"]))
    try realm.write { realm.add([rex, max]) }
    let told = Mutex<[String]>([])
    func track(_ name: String, _ read: () -> Void) {
      withObservationTracking(read) { told.withLock { $0.append(name) } }
    }
    track("age") { _ = rex.age }
    track("friends") { _ = rex.friends.count }
    track("max") { _ = max.age }
    try realm.write { rex.age = 2 }
    #expect(told.withLock { $0 } == [])
    realm.refresh()
    #expect(told.withLock { $0 } == ["age"])
    try realm.write {
      rex.age = 3
      rex.friends.append(max)
    }
    realm.refresh()
    #expect(told.withLock { $0 } == ["age", "friends"])
    track("again") { _ = (rex.age, rex.age) }
    try realm.write { max.age = 5 }
    realm.refresh()
    #expect(told.withLock { $0 } == ["age", "friends", "max"])
    try realm.write { realm.delete(rex) }
    realm.refresh()
    #expect(told.withLock { $0 } == ["age", "friends", "max", "again"])
  }

  @Test func `an observer does not hear of what is written without notifying it`() async throws {
    let realm = try await Realm(configuration: Realms.configuration())
    var told: [String] = []
    let token = realm.objects(Dog.self).sorted(byKeyPath: "name").observe { told.append(Self.text($0)) }
    realm.refresh()
    try realm.write(withoutNotifying: [token]) { realm.create(Dog.self, value: ["name": "Rex"]) }
    realm.refresh()
    try realm.write { realm.create(Dog.self, value: ["name": "Tim"]) }
    realm.refresh()
    #expect(told == ["initial 0", "2: -[] +[1] ~[]"])
    token.invalidate()
    try realm.write { realm.deleteAll() }
    realm.refresh()
    #expect(told.count == 2)
  }
}
