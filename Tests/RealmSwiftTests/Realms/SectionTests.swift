import Foundation
import RealmSwift
import Testing

struct SectionTests {
  @Test func `results come in sections, in the order of their first elements`() throws {
    let realm = try Realms.open()
    try realm.write {
      for (name, age) in [("Rex", 3), ("Max", 5), ("Ben", 1), ("Tim", 3)] {
        realm.create(Dog.self, value: ["name": name, "age": age])
      }
    }
    let sections = realm.objects(Dog.self).sectioned(by: \.age, ascending: false)
    #expect(sections.allKeys == [5, 3, 1])
    #expect(sections[1].map(\.name) == ["Rex", "Tim"])
    #expect(sections[IndexPath(indexes: [1, 1])].name == "Tim")
    let letters = realm.objects(Dog.self).sectioned(
      by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "name")])
    #expect(letters.allKeys == ["B", "M", "R", "T"])
    let ben = letters[0]
    try realm.write { realm.delete(realm.objects(Dog.self).filter("name == 'Ben'")) }
    #expect(letters.count == 3)
    #expect(ben.isInvalidated)
  }
}

private final class DogName: Projection<Dog> {
  @Projected(\Dog.name) var title
  @Projected(\Dog.owner?.name) var ownerName
  @Projected(\Dog.friends.projectTo.name) var friendNames
}

struct ProjectionTests {
  @Test func `a projection shows parts of an object by its own names`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "age": 1, "owner": ["name": "Ann"], "friends": [["name": "Max"]]])
    try realm.write { realm.add(rex) }
    let projection = try #require(realm.objects(DogName.self).filter("name == 'Rex'").first)
    #expect(projection.title == "Rex")
    #expect(projection.ownerName == "Ann")
    #expect(Array(projection.friendNames) == ["Max"])
    #expect(projection.rootObject == rex)
    #expect(projection == DogName(projecting: rex))
  }
}

struct MigrationTests {
  private class Old: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var first: String
    @Persisted var last: String
    @Persisted var age: Int

    override class func _realmObjectName() -> String? { "Customer" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private class New: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var fullName: String
    @Persisted var age: String

    override class func _realmObjectName() -> String? { "Customer" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `objects are carried over to other classes`() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Old.self])
    let old = try Realm(configuration: configuration)
    try old.write { old.create(Old.self, value: [1, "Ann", "Lee", 30]) }
    configuration.objectTypes = [New.self]
    #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, version in
      #expect(version == 0)
      migration.enumerateObjects(ofType: "Customer") { old, new in
        let (first, last) = (old?["first"] as? String ?? "", old?["last"] as? String ?? "")
        new?["fullName"] = "\(first) \(last)"
      }
    }
    let new = try Realm(configuration: configuration)
    let ann = try #require(new.object(ofType: New.self, forPrimaryKey: 1))
    #expect(ann.fullName == "Ann Lee")
    #expect(ann.age == "30")
  }

  @Test func `a changed class needs a migration, and says why`() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Old.self])
    let old = try Realm(configuration: configuration)
    #expect(old.isEmpty)
    configuration.objectTypes = [New.self]
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    #expect(
      error?.localizedDescription == """
        Migration is required due to the following errors:
        - Property 'Customer.fullName' has been added.
        - Property 'Customer.age' has been changed from 'int' to 'string'.
        - Property 'Customer.first' has been removed.
        - Property 'Customer.last' has been removed.
        """)
    #expect(error?.code == .schemaMismatch)
  }
}

@MainActor
struct AsyncTests {
  @Test func `a Realm of the main actor is written and observed there`() async throws {
    let realm = try await Realm(configuration: Realms.configuration())
    try await realm.asyncWrite { realm.create(Dog.self, value: ["name": "Rex"]) }
    #expect(realm.objects(Dog.self).count == 1)
    await withCheckedContinuation { done in
      realm.writeAsync {
        realm.create(Dog.self, value: ["name": "Max"])
      } onComplete: { error in
        #expect(error == nil)
        done.resume()
      }
    }
    #expect(realm.objects(Dog.self).count == 2)
  }

  private actor Keeper {
    var names: [String] = []
    private var realm: Realm?
    private var token: NotificationToken?

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(configuration: configuration, actor: self)
    }

    func add(_ name: String) async throws {
      guard let realm else { return }
      try await realm.asyncWrite { _ = realm.create(Dog.self, value: ["name": name]) }
      names = realm.objects(Dog.self).map(\.name)
    }
  }

  @Test func `a Realm of an actor is used there`() async throws {
    let keeper = Keeper()
    try await keeper.open(Realms.configuration())
    try await keeper.add("Rex")
    #expect(await keeper.names == ["Rex"])
  }
}
