import Foundation
import RealmSwift
import Testing

private class Kennel1: Object {
  @Persisted var dog: Dog
  @Persisted var byName: Map<String, Dog>
  @Persisted var dogs: List<Dog?>
  @Persisted var others: MutableSet<Dog?>
  @Persisted var collar: Collar

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Kennel2: Object {
  @Persisted var dog: Dog?
  @Persisted var byName: Map<String, Dog?>
  @Persisted var dogs: List<Dog>
  @Persisted var others: MutableSet<Dog>
  @Persisted var collar: Collar?
  @Persisted var size: Size
  @Persisted var sizes: Map<String, Size>
  @Persisted var list: List<Size>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A type of one's own that an embedded object is stored of.
private struct Size: CustomPersistable, Hashable {
  typealias PersistedType = Collar

  var value: Int

  init(persistedValue: Collar) { value = persistedValue.size }
  var persistableValue: Collar { Collar(value: ["size": value]) }
}

struct NullabilityTests {
  private func configuration(_ type: ObjectBase.Type) -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Realms.types + [type])
  }

  @Test func `links and maps of objects may be nil, elements of lists and sets may not`() throws {
    let error = #expect(throws: Realm.Error.self) {
      try Realm(configuration: configuration(Kennel1.self))
    }
    #expect(
      error?.localizedDescription == """
        Schema validation failed due to the following errors:
        - Object property 'dog' must be marked as optional.
        - Map<String, Dog> property 'byName' must be marked as optional.
        - List<Dog> property 'dogs' must not be marked as optional.
        - MutableSet<Dog> property 'others' must not be marked as optional.
        - Object property 'collar' must be marked as optional.
        """)
  }

  @Test func `types of one's own that embedded objects are stored of need no optional`() throws {
    let realm = try Realm(configuration: configuration(Kennel2.self))
    let kennel = try realm.write { realm.create(Kennel2.self) }
    #expect(kennel.size.value == 0 && kennel.objectSchema["size"]?.isOptional == true)
  }
}
