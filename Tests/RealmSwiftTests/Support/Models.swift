import Foundation
import RealmSwift

enum Mood: String, PersistableEnum {
  case calm, wild
}

class Dog: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(indexed: true) var age: Int
  @Persisted var weight: Double?
  @Persisted var mood: Mood
  @Persisted var born: Date?
  @Persisted var owner: Person?
  @Persisted var friends: List<Dog>
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Map<String, Int>
  @Persisted var collar: Collar?
  @Persisted var toys: List<Toy>
  @Persisted var extra: AnyRealmValue
}

class Person: Object {
  @Persisted var name: String
  @Persisted(originProperty: "owner") var dogs: LinkingObjects<Dog>
  @Persisted var favourites: Map<String, Dog?>
}

class Collar: EmbeddedObject {
  @Persisted var size: Int
  @Persisted var maker: Person?
}

class Toy: EmbeddedObject {
  @Persisted var brand: String
}

/// A property of each kind.
class Everything: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var bool: Bool
  @Persisted var int8: Int8
  @Persisted var float: Float
  @Persisted var double: Double
  @Persisted var string: String
  @Persisted var data: Data
  @Persisted var date: Date
  @Persisted var uuid: UUID
  @Persisted var objectId: ObjectId
  @Persisted var decimal: Decimal128
  @Persisted var optional: Int?
  @Persisted var ints: List<Int>
  @Persisted var optionals: List<String?>
  @Persisted var mixed: List<AnyRealmValue>
  @Persisted var dates: MutableSet<Date>
}

enum Realms {
  static let types: [ObjectBase.Type] = [
    Dog.self, Person.self, Collar.self, Toy.self, Everything.self,
  ]

  /// The configuration of a Realm that nobody else has.
  static func configuration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
  }

  static func open() throws -> Realm { try Realm(configuration: configuration()) }
}
