public import Foundation
public import RealmSwift
import Testing

// The examples of Realm's reference pages: structures, protocols, and the class Map.

extension URL: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}

/// Examples of the pages of structures and of protocols.
private enum Pages {
  /// A class that is part of no other Realm than those that name it.
  class PageObject: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Address: EmbeddedObject {
    @Persisted var city: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Pet: PageObject {
    @Persisted var name: String
    @Persisted var age: Int
  }

  public class Person: PageObject, ObjectKeyIdentifiable {
    @Persisted var firstName = ""
    @Persisted var lastName = ""
    @Persisted var age = 0
    @Persisted var address: Address?
    @Persisted var friends: List<Person>
    @Persisted var reviews: List<String>
    @Persisted var dogs: List<Pet>
    @Persisted var dogsName: List<String>
    @Persisted var dogsAgesArray: List<Int>
  }

  class PersonProjection: Projection<Person> {
    @Projected(\Person.firstName) var firstName
    @Projected(\Person.lastName.localizedUppercase) var lastNameCaps
    @Projected(\Person.address?.city) var homeCity
    @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
  }

  class MyModel: PageObject {
    @Persisted var basicIntProperty: Int
    @Persisted var intWithCustomDefault: Int = 5
    @Persisted(indexed: true) var indexedString: String
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var listProperty: List<Int>
    @Persisted var setProperty: MutableSet<OtherModel>
    @Persisted(originProperty: "outgoingLink") var incomingLinks: LinkingObjects<OtherModel>
    var ignoredProperty = true
  }

  class OtherModel: PageObject {
    @Persisted var outgoingLink: MyModel?
  }

  class Page: PageObject {
    @Persisted var url: URL?
    @Persisted var mapOfUrls: Map<String, URL>
  }

  enum IntEnum: Int, PersistableEnum {
    case first = 1
    case second = 2
    case third = 7
  }

  enum StringEnum: String, PersistableEnum {
    case first = "f"
    case second = "s"
  }

  class Choices: PageObject {
    @Persisted var number: IntEnum
    @Persisted var text: StringEnum?
    @Persisted var several: List<IntEnum>
  }

  static let types: [ObjectBase.Type] = [
    Address.self, Pet.self, Person.self, MyModel.self, OtherModel.self, Page.self, Choices.self,
  ]

  static func open() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types),
      queue: nil)
  }
}

struct DocumentTests {
  @Test func `properties have the defaults that the page of Persisted names`() throws {
    let realm = try Pages.open()
    let model = Pages.MyModel()
    #expect(model.basicIntProperty == 0)
    #expect(model.intWithCustomDefault == 5)
    #expect(model._id != Pages.MyModel()._id)
    let id = model._id
    try realm.write {
      realm.add(model)
      let other = realm.create(Pages.OtherModel.self)
      other.outgoingLink = model
      model.setProperty.insert(other)
    }
    #expect(realm.object(ofType: Pages.MyModel.self, forPrimaryKey: id)?.incomingLinks.count == 1)
    #expect(model.setProperty.count == 1)
    let schema = try #require(realm.schema["MyModel"])
    #expect(schema["ignoredProperty"] == nil)
    #expect(schema["indexedString"]?.isIndexed == true)
    #expect(schema.primaryKeyProperty?.name == "_id")
  }

  @Test func `projections show names, paths, computed and collected values`() throws {
    let realm = try Pages.open()
    let ann = Pages.Person(value: ["firstName": "Ann", "lastName": "Lee", "address": ["city": "Rome"]])
    ann.friends.append(Pages.Person(value: ["firstName": "Ben"]))
    try realm.write { realm.add(ann) }
    let people: Results<Pages.PersonProjection> = realm.objects(Pages.PersonProjection.self)
    let person = try #require(people.filter("firstName == 'Ann'").first)
    #expect(person.firstName == "Ann")
    #expect(person.lastNameCaps == "LEE")
    #expect(person.homeCity == "Rome")
    #expect(Array(person.firstFriendsName) == ["Ben"])
    #expect(people.sorted(byKeyPath: "firstName", ascending: false).map(\.firstName) == ["Ben", "Ann"])
    #expect(people.sectioned(by: \.firstName).allKeys == ["Ann", "Ben"])
  }

  @Test func `conditions are written as the page of Query has them`() throws {
    let realm = try Pages.open()
    try realm.write {
      let foo = realm.create(Pages.Person.self, value: ["firstName": "Foo", "dogsName": ["Fido"]])
      foo.dogs.append(Pages.Pet(value: ["Fido", 3]))
      realm.create(Pages.Person.self, value: ["firstName": "Bar", "age": 21, "dogsAgesArray": [4, 6]])
      realm.create(Pages.Person.self, value: ["firstName": "Bar", "age": 20])
    }
    let people = realm.objects(Pages.Person.self)
    #expect(people.where { $0.firstName == "Foo" || $0.firstName == "Bar" && $0.age >= 21 }.count == 2)
    #expect(people.where { !$0.dogsName.contains("Fido") || !$0.firstName.contains("Foo") }.count == 2)
    #expect(people.where { $0.dogs.age.avg >= 3 || $0.dogsAgesArray.avg >= 5 }.count == 2)
    #expect(people.where { ($0.dogs.age >= 3).count > 0 }.map(\.firstName) == ["Foo"])
    #expect(people.where { $0.age.contains(20..<21) }.count == 1)
    #expect(people.where { $0.dogsAgesArray.count == 2 && $0.dogsAgesArray.max == 6 }.count == 1)
  }

  @Test func `types of one's own and enums are properties as the page of protocols has them`() throws {
    let realm = try Pages.open()
    let page = Pages.Page()
    page.url = URL(string: "http://example.org/a")
    page.mapOfUrls["b"] = URL(string: "http://example.org/b")
    try realm.write { realm.add(page) }
    #expect(realm.objects(Pages.Page.self).first?.url?.path == "/a")
    #expect(page.mapOfUrls["b"]?.path == "/b")
    let choices = Pages.Choices()
    #expect(choices.number == .first)
    choices.several.append(objectsIn: [.third, .second])
    try realm.write { realm.add(choices) }
    try realm.write {
      choices.number = .third
      choices.text = .second
    }
    #expect(realm.objects(Pages.Choices.self).where { $0.number == .third && $0.text == .second }.count == 1)
    #expect(realm.objects(Pages.Choices.self).filter("number == 7 AND text == 's'").count == 1)
    #expect(choices.several.sorted().map(\.rawValue) == [2, 7])
  }

  @Test func `an object's id is the same for each Swift object of it`() throws {
    let realm = try Pages.open()
    let ann = Pages.Person(value: ["firstName": "Ann"])
    try realm.write { realm.add(ann) }
    let again = try #require(realm.objects(Pages.Person.self).first)
    #expect(ann !== again)
    #expect(ann.id == again.id)
  }

  @MainActor
  @Test func `the beginning that a map tells of has what was written before it`() async throws {
    let realm = try await Realm(configuration: Realms.configuration())
    let ann = Person()
    try realm.write { realm.add(ann) }
    let changes = ann.favourites.changes().makeAsyncIterator()
    try realm.write { ann.favourites["nameOfDog"] = Dog(value: ["name": "Rex"]) }
    guard case .initial(let map)? = await changes.next() else {
      Issue.record("no beginning")
      return
    }
    #expect(map.count == 1)
    #expect(map["nameOfDog"]??.name == "Rex")
    try realm.write { ann.favourites["nameOfDog"]??.age = 4 }
    guard case .update(_, let deletions, let insertions, let modifications)? = await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(deletions == [] && insertions == [] && modifications == ["nameOfDog"])
  }
}
