import Foundation
import RealmSwift
import Testing

/// Classes that a Realm cannot have, and Realm's texts for them.
struct SchemaErrorTests {
  class Hidden: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class HiddenPart: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class TwoKeys: Hidden {
    @Persisted(primaryKey: true) var first: Int
    @Persisted(primaryKey: true) var second: Int
  }

  class Part: HiddenPart {
    @Persisted var size: Int
  }

  class PartWithKey: HiddenPart {
    @Persisted(primaryKey: true) var id: Int
  }

  class Lonely: Hidden {
    @Persisted var part: Part?
  }

  class Target: Hidden {
    @Persisted var number: Int
    @Persisted var other: Lonely?
  }

  class WithoutOrigin: Hidden {
    @Persisted(originProperty: "nothing") var targets: LinkingObjects<Target>
  }

  class OriginOfValues: Hidden {
    @Persisted(originProperty: "number") var targets: LinkingObjects<Target>
  }

  class OriginOfOthers: Hidden {
    @Persisted(originProperty: "other") var targets: LinkingObjects<Target>
  }

  enum First {
    class Same: Hidden {
      @Persisted var a: Int
    }
  }

  enum Second {
    class Same: Hidden {
      @Persisted var b: Int
    }
  }

  private func text(of types: [ObjectBase.Type]) -> String {
    do {
      let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
      _ = try Realm(configuration: configuration)
      return "opened"
    } catch {
      return error.localizedDescription
    }
  }

  private func expect(_ problem: String, of types: ObjectBase.Type...) {
    #expect(text(of: types) == "Schema validation failed due to the following errors:\n- \(problem)")
  }

  @Test func `keys that cannot be`() {
    expect(
      "Properties 'first' and 'second' are both marked as the primary key of 'TwoKeys'.", of: TwoKeys.self)
    expect("Embedded object type 'PartWithKey' cannot have a primary key.", of: PartWithKey.self)
  }

  @Test func `classes that are not there, or twice`() {
    expect("Property 'Lonely.part' of type 'object' has unknown object type 'Part'", of: Lonely.self)
    expect("Type 'Same' appears more than once in the schema.", of: First.Same.self, Second.Same.self)
  }

  @Test func `origins that do not link back`() {
    let declared = "declared as origin of linking objects property"
    expect(
      "Property 'Target.nothing' \(declared) 'WithoutOrigin.targets' does not exist",
      of: WithoutOrigin.self, Target.self, Lonely.self, Part.self)
    expect(
      "Property 'Target.number' \(declared) 'OriginOfValues.targets' is not a link",
      of: OriginOfValues.self, Target.self, Lonely.self, Part.self)
    expect(
      "Property 'Target.other' \(declared) 'OriginOfOthers.targets' links to type 'Lonely'",
      of: OriginOfOthers.self, Target.self, Lonely.self, Part.self)
  }

  @Test func `all problems are told together`() {
    let told = text(of: [TwoKeys.self, PartWithKey.self])
    #expect(told.split(separator: "\n").count == 3)
  }
}

/// Objects that are written and never seen again.
struct AsymmetricTests {
  class Measurement: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var value: Double
    @Persisted var place: SchemaErrorTests.Part?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `are created in transactions, and a Realm of them is empty`() throws {
    let types: [ObjectBase.Type] = [Measurement.self, SchemaErrorTests.Part.self]
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    #expect(realm.schema["Measurement"]?.isAsymmetric == true)
    try realm.write {
      realm.create(Measurement.self, value: ["value": 1.5, "place": ["size": 3]] as [String: Any])
      realm.create(Measurement.self, value: Measurement(value: ["value": 2.5]))
    }
    #expect(realm.isEmpty)
  }
}
