import Foundation
import RealmSwift

// The same file as in the app.

public enum Size: String, PersistableEnum {
  case small, large
}

public class Dog: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) public var _id: ObjectId
  @Persisted public var name: String
  @Persisted(indexed: true) public var age: Int
  @Persisted public var size: Size
  @Persisted public var toys: List<String>
  @Persisted public var friends: List<Dog>
  @Persisted(originProperty: "dogs") public var owners: LinkingObjects<Person>

  public convenience init(name: String, age: Int) {
    self.init()
    self.name = name
    self.age = age
  }
}

public class Person: Object {
  @Persisted public var name: String
  @Persisted public var dogs: List<Dog>
  @Persisted public var visits: Map<String, Date>
}

public class DogTitle: Projection<Dog> {
  @Projected(\Dog.name) public var title
  @Projected(\Dog.friends.count) public var friends
}
