import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of projections and sections (`ProjectionTests`, `SectionedResultsTests`).
struct ViewPortTests {
  class Address: EmbeddedObject {
    @Persisted var city = ""
    @Persisted var country = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class CommonPerson: Object {
    @Persisted var firstName: String
    @Persisted var lastName = ""
    @Persisted var birthday: Date
    @Persisted var address: Address?
    @Persisted var friends: List<CommonPerson>
    @Persisted var money: Decimal128

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class PersonProjection: Projection<CommonPerson> {
    @Projected(\CommonPerson.firstName) var firstName
    @Projected(\CommonPerson.lastName.localizedUppercase) var lastNameCaps
    @Projected(\CommonPerson.birthday.timeIntervalSince1970) var birthdayAsEpochtime
    @Projected(\CommonPerson.address?.city) var homeCity
    @Projected(\CommonPerson.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
  }

  private func open() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [CommonPerson.self, Address.self]))
    try realm.write {
      let jaime = realm.create(
        CommonPerson.self,
        value: [
          "firstName": "Jaime", "lastName": "Lannister", "birthday": Date(timeIntervalSince1970: 9),
          "address": ["City", "Land"],
        ])
      let daenerys = realm.create(
        CommonPerson.self, value: ["firstName": "Daenerys", "lastName": "Targaryen"])
      let tyrion = realm.create(CommonPerson.self, value: ["firstName": "Tyrion", "lastName": "Lannister"])
      jaime.friends.append(daenerys)
      daenerys.friends.append(objectsIn: [jaime, tyrion])
    }
    return realm
  }

  @Test func `a projection shows parts of an object, by names of its own`() throws {
    let realm = try open()
    let johnSnow = try #require(realm.objects(PersonProjection.self).filter("firstName == 'Jaime'").first)
    #expect(johnSnow.homeCity == "City")
    #expect(johnSnow.lastNameCaps == "LANNISTER")
    #expect(johnSnow.birthdayAsEpochtime == 9)
    #expect(Array(johnSnow.firstFriendsName) == ["Daenerys"])
    #expect(johnSnow.realm == realm && !johnSnow.isFrozen)
    try realm.write {
      johnSnow.firstName = "Jon"
      johnSnow.rootObject.address?.city = "Winterfell"
      johnSnow.firstFriendsName[0] = "Dany"
    }
    #expect(
      realm.objects(CommonPerson.self).filter("firstName == 'Jon'").first?.address?.city == "Winterfell")
    #expect(realm.objects(CommonPerson.self).filter("firstName == 'Dany'").count == 1)
    #expect(PersonProjection(projecting: johnSnow.rootObject) == johnSnow)
    let sorted = realm.objects(PersonProjection.self).sorted(byKeyPath: "firstName")
    #expect(sorted.map(\.firstName) == ["Dany", "Jon", "Tyrion"])
    let frozen = johnSnow.freeze()
    try realm.write { johnSnow.firstName = "Aegon" }
    #expect(frozen.firstName == "Jon")
    #expect(frozen.thaw()?.firstName == "Aegon")
    let unmanaged = PersonProjection(projecting: CommonPerson(value: ["firstName": "Sam"]))
    #expect(unmanaged.firstName == "Sam")
    #expect(unmanaged.homeCity == nil)
    let dany = try #require(realm.objects(PersonProjection.self).filter("firstName == 'Dany'").first)
    #expect(dany.firstFriendsName.count == 2)
    #expect(dany.firstFriendsName.first == "Aegon")
    #expect(dany.firstFriendsName.index(of: "Tyrion") == 1)
    #expect(dany.firstFriendsName.index(matching: RealmPredicate(format: "firstName == 'Tyrion'")) == 1)
  }

  @Test func `projections of lists are observed by their origins`() throws {
    let realm = try open()
    let queue = DispatchQueue(label: "projections")
    let told = Lines()
    let jaime = try #require(realm.objects(PersonProjection.self).filter("firstName == 'Jaime'").first)
    let token = jaime.observe(on: queue) { change in
      switch change {
      case .change(let projection, let properties):
        told.add(
          "\(projection.firstName) "
            + properties.map { "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")" }.sorted().joined(
              separator: ", "))
      case .deleted: told.add("deleted")
      case .error: told.add("error")
      }
    }
    queue.sync {}
    try realm.write { jaime.firstName = "Jon" }
    #expect(told.next() == "Jon firstName Jaime Jon")
    try realm.write { jaime.rootObject.lastName = "Snow" }
    #expect(told.next() == "Jon lastNameCaps LANNISTER SNOW")
    try realm.write { realm.delete(jaime.rootObject) }
    #expect(told.next() == "deleted")
    token.invalidate()
  }

  @Test func `objects are in sections by keys, and by the first letters of their names`() throws {
    let realm = try open()
    let sections = realm.objects(CommonPerson.self).sectioned(
      by: { String($0.firstName.prefix(1)) },
      sortDescriptors: [SortDescriptor(keyPath: "firstName", ascending: false)])
    #expect(sections.allKeys == ["T", "J", "D"])
    #expect(sections.count == 3)
    #expect(sections[0][0].firstName == "Tyrion")
    #expect(sections[[2, 0] as IndexPath].firstName == "Daenerys")
    #expect(sections.map { $0.map(\.firstName) } == [["Tyrion"], ["Jaime"], ["Daenerys"]])
    let byName = realm.objects(CommonPerson.self).sectioned(by: \.lastName, ascending: true)
    #expect(byName.allKeys == ["Lannister", "Targaryen"])
    #expect(byName[0].count == 2)
    #expect(byName.first?.key == "Lannister" && byName.last?.id == "Targaryen")
    let section = byName[1]
    try realm.write {
      realm.objects(CommonPerson.self).filter("lastName == 'Targaryen'").first?.lastName = "Stark"
    }
    #expect(section.isInvalidated)
    #expect(byName.allKeys == ["Lannister", "Stark"])
    let frozen = byName.freeze()
    try realm.write { realm.deleteAll() }
    #expect(byName.isEmpty)
    #expect(frozen.isFrozen && frozen[0].count == 2)
    #expect(frozen.thaw()?.count == 0)
  }

  @Test func `values of lists are in sections, too`() throws {
    let realm = try PortedRealms.open()
    let object = AllTypes()
    try realm.write {
      realm.add(object)
      object.arrayInt.append(objectsIn: [3, 1, 2, 4])
      object.arrayOptInt.append(objectsIn: [nil, 1])
      object.setString.insert(objectsIn: ["b", "aa", "ab"])
    }
    let odd = object.arrayInt.sectioned(by: { $0 % 2 == 0 ? "even" : "odd" }, ascending: true)
    #expect(odd.allKeys == ["odd", "even"])
    #expect(odd.map { Array($0) } == [[1, 3], [2, 4]])
    #expect(object.arrayOptInt.sectioned(by: { $0 }).allKeys == [nil, 1])
    #expect(
      object.setString.sectioned(by: { String($0.prefix(1)) }, ascending: false).map { $0.count } == [1, 2])
  }
}
