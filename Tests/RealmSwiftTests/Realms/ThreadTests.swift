import Foundation
import GatehouseModel
import GatehouseStorage
import RealmSwift
import Synchronization
import Testing

/// Values of Realms on other threads, and Realms of stores that others write.
struct ThreadTests {
  @Test func `a wrapped object is had by any thread`() throws {
    let configuration = Realms.configuration()
    let realm = try Realm(configuration: configuration)
    let rex = Dog(value: ["name": "Rex", "age": 1])
    try realm.write { realm.add(rex) }
    let wrapper = ThreadSafe(wrappedValue: rex)
    let age = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      defer { done.signal() }
      guard let dog = wrapper.wrappedValue, let realm = dog.realm else { return }
      try? realm.write { dog.age = 7 }
      age.withLock { $0 = dog.age }
    }
    done.wait()
    #expect(age.withLock { $0 } == 7)
    realm.refresh()
    #expect(rex.age == 7)
    // The same wrapper gives the object again.
    #expect(wrapper.wrappedValue?.age == 7)
    try realm.write { realm.delete(rex) }
    #expect(wrapper.wrappedValue == nil)
  }

  @Test func `a Realm of a store shows what others write to the store`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let store = try Store(directory: path)
    let realm = try Realm(store: store, configuration: Realm.Configuration(objectTypes: Realms.types))
    try realm.write { realm.create(Person.self, value: ["name": "Ann"]) }
    let write = try store.beginWrite()
    let name = try #require(write.reader.schema["Person"]?.index(of: "name"))
    _ = try write.create(
      "Person", ObjectDraft(assignments: [.init(property: name, value: .value(.string("Ben")))]))
    _ = try write.commit()
    #expect(realm.objects(Person.self).map(\.name) == ["Ann"])
    realm.refresh()
    #expect(realm.objects(Person.self).sorted(byKeyPath: "name").map(\.name) == ["Ann", "Ben"])
    #expect(try Realm(store: store, configuration: realm.configuration) == realm)
  }

  @Test func `a transaction of a Realm of a store that is open for too long is rolled back`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let store = try Store(directory: path)
    let configuration = Realm.Configuration(objectTypes: Realms.types)
    let realm = try Realm(store: store, configuration: configuration, writeLimit: .seconds(1))
    realm.beginWrite()
    realm.create(Person.self, value: ["name": "Ann"])
    let done = DispatchSemaphore(value: 0)
    let names = Mutex<[String]>([])
    Thread.detachNewThread {
      defer { done.signal() }
      // Waits until the other one is over.
      guard let other = try? Realm(store: store, configuration: configuration, writeLimit: nil) else {
        return
      }
      try? other.write { _ = other.create(Person.self, value: ["name": "Ben"]) }
      names.withLock { $0 = other.objects(Person.self).map(\.name) }
    }
    done.wait()
    #expect(names.withLock { $0 } == ["Ben"])
    let error = #expect(throws: Realm.Error.self) { try realm.commitWrite() }
    #expect(error?.localizedDescription.contains("open for too long") == true)
    realm.refresh()
    #expect(!realm.isInWriteTransaction && realm.objects(Person.self).map(\.name) == ["Ben"])
  }
}
