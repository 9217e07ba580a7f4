import Foundation
import KennelModels
import RealmSwift
import Testing

@MainActor
struct DogTests {
  @Test func `dogs have owners`() async throws {
    let realm = try await Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let ann = Person()
    ann.dogs.append(Dog(name: "Rex", age: 3))
    try await realm.asyncWrite { realm.add(ann) }
    #expect(realm.objects(Dog.self).first?.owners.count == 1)
    #expect(realm.objects(Dog.self).where { $0.size == .small }.count == 1)
  }
}
