import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Testing

@testable import RealmSwift

/// The questions of Realm's tests of events (`EventTests`, C:test/object-store/audit.cpp) beyond those of `EventTests` here: values of all
/// types, links to objects without identifiers, objects in objects, objects that represent themselves behind links.
@MainActor struct EventPortTests {
  class Base: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Values: Base {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var bool: Bool
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var double: Double
    @Persisted var dates: Map<String, Date>
    @Persisted var float: Float
    @Persisted var ints: List<Int?>
    @Persisted var objectId: ObjectId
    @Persisted var optional: String?
    @Persisted var strings: MutableSet<String>
    @Persisted var uuid: UUID
  }

  class Nameless: Base {
    @Persisted var text: String
  }

  class Linking: Base {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var nameless: Nameless?
    @Persisted var spoken: Spoken?
    @Persisted var several: List<Nameless>
    @Persisted var parts: List<Part>
    @Persisted var named: Map<String, Part?>
    @Persisted var any: AnyRealmValue
  }

  class Part: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var inner: Part2?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Part2: EmbeddedObject {
    @Persisted var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// Says itself what is recorded, where it can.
  class Spoken: Base, CustomEventRepresentable {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var value: Int

    func customEventRepresentation() -> String { value < 0 ? "invalid" : #"{"spoken":\#(value)}"# }
  }

  private func open() throws -> Realm {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString,
      objectTypes: [Values.self, Nameless.self, Linking.self, Part.self, Part2.self, Spoken.self])
    configuration.eventConfiguration = EventConfiguration()
    return try Recorded.realm(configuration)
  }

  @Test func `values of all types are recorded, but for data and decimals`() async throws {
    let realm = try open()
    let id = ObjectId("1234567890ab1234567890ab")
    let uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5))
    try realm.write {
      realm.create(
        Values.self,
        value: [
          "_id": 1, "any": "mixed", "bool": true, "data": Data([1, 2]),
          "date": Date(timeIntervalSince1970: 123), "decimal": 1.5, "double": 2.5,
          "dates": ["k": Date(timeIntervalSince1970: 123.0625)], "float": 0.5, "ints": [3, NSNull()],
          "objectId": id, "strings": ["a"], "uuid": uuid,
        ] as [String: Any])
    }
    let text =
      #"{"_id":1,"any":"mixed","bool":true,"date":"1970-01-01T00:02:03.000Z","dates":{"k":"1970-01-01T00:02:03.062Z"},"#
      + #""double":2.5,"float":0.5,"ints":[3,null],"objectId":"1234567890ab1234567890ab","optional":null,"#
      + #""strings":["a"],"uuid":"00000000-0000-0000-0000-000000000005"}"#
    let find = { realm.object(ofType: Values.self, forPrimaryKey: 1) }
    #expect(
      try await Recorded.scope(realm) { _ = find()?.bool } == [#"read {"type":"Values","value":[\#(text)]}"#])
    let values = try #require(find())
    #expect(
      try await Recorded.scope(realm) {
        try realm.write {
          values.any = .none
          values.double = 3
          values.ints.removeAll()
          values.optional = "o"
          values.data = Data([9])
        }
      } == [
        #"write {"Values":{"modifications":[{"newValue":{"any":null,"double":3.0,"ints":[],"optional":"o"},"#
          + #""oldValue":\#(text)}]}}"#
      ])
    #expect(
      try await Recorded.scope(realm) {
        try realm.write {
          values.any = .int(7)
          values.any = .bool(false)
        }
      }.first?.contains(#""newValue":{"any":false}"#) == true)
  }

  @Test func `reading values of collections, and texts of objects, is no other event`() async throws {
    let realm = try open()
    try realm.write {
      realm.create(Values.self, value: ["_id": 1, "ints": [1], "strings": ["a"]] as [String: Any])
    }
    let values = try #require(realm.objects(Values.self).first)
    #expect(
      try await Recorded.scope(realm) {
        _ = values.ints.first
        _ = values.strings.contains("a")
        _ = values.dates["k"]
        _ = values.ints.sum() as Int?
        for number in values.ints { _ = number }
      } == [])
  }

  @Test func `links to objects without identifiers are null, until they are followed`() async throws {
    let realm = try open()
    try realm.write {
      realm.create(
        Linking.self,
        value: [
          "_id": "a", "nameless": ["n"], "several": [["x"], ["y"]],
          "parts": [["size": 1, "inner": ["deep"]] as [String: Any], [2]], "named": ["p": [3]],
        ] as [String: Any])
    }
    let parts = #""named":{"p":{"inner":null,"size":3}},"nameless":"#
    let rest = #""parts":[{"inner":{"text":"deep"},"size":1},{"inner":null,"size":2}],"several":"#
    let find = { realm.object(ofType: Linking.self, forPrimaryKey: "a") }
    #expect(
      try await Recorded.scope(realm) { _ = find()?._id } == [
        #"read {"type":"Linking","value":[{"_id":"a","any":null,\#(parts)null,\#(rest)[null,null],"spoken":null}]}"#
      ])
    #expect(
      try await Recorded.scope(realm) {
        let found = find()
        _ = found?.nameless?.text
        // Objects in objects are no events of their own.
        _ = found?.parts.first?.inner?.text
        _ = found?.named["p"]??.size
      } == [
        #"read {"type":"Linking","value":[{"_id":"a","any":null,\#(parts){"text":"n"},\#(rest)[null,null],"spoken":null}]}"#,
        #"read {"type":"Nameless","value":[{"text":"n"}]}"#,
      ])
  }

  @Test
  func
    `changes of objects in objects are those of their classes, and of their owners where they come and go`()
    async throws
  {
    let realm = try open()
    try realm.write { realm.create(Linking.self, value: ["_id": "a", "parts": [[1]]] as [String: Any]) }
    let object = try #require(realm.object(ofType: Linking.self, forPrimaryKey: "a"))
    #expect(
      try await Recorded.scope(realm) { try realm.write { object.parts[0].size = 5 } }
        == [#"write {"Part":{"modifications":[{"newValue":{"size":5},"oldValue":{"inner":null,"size":1}}]}}"#]
    )
    let added = try await Recorded.scope(realm) { try realm.write { object.parts.append(Part(value: [7])) } }
    #expect(
      added.first?.contains(#""newValue":{"parts":[{"inner":null,"size":5},{"inner":null,"size":7}]}"#)
        == true)
    #expect(added.first?.contains(#""Part":"#) == false)
  }

  @Test func `an object that represents itself is recorded so behind a link, too`() async throws {
    let realm = try open()
    try realm.write {
      realm.create(Linking.self, value: ["_id": "a", "spoken": [1, 10]] as [String: Any])
    }
    let object = try #require(realm.object(ofType: Linking.self, forPrimaryKey: "a"))
    let read = try await Recorded.scope(realm) {
      _ = realm.object(ofType: Linking.self, forPrimaryKey: "a")
      _ = object.spoken?.value
    }
    #expect(read.count == 2 && read.last == #"read {"type":"Spoken","value":[{"spoken":10}]}"#)
    #expect(read.first?.contains(#""spoken":{"spoken":10}"#) == true)
    // Nothing of a scope is stored in which one cannot.
    try realm.write { object.spoken?.value = -1 }
    let before = try Recorded.events(in: realm).count
    await #expect(throws: Realm.Error.self) {
      _ = try await Recorded.scope(realm) {
        _ = realm.objects(Nameless.self).first
        _ = object.spoken?.value
      }
    }
    #expect(try Recorded.events(in: realm).count == before)
  }

  @Test func `events of documents have their fields`() async throws {
    let realm = try open()
    let store = realm.context.file.coordinator.store
    _ = try store.applyAndWait(
      GatehouseModel.Schema(store.schema.objectTypes + [.schemaless("Log")]), destructive: false)
    realm.refresh()
    let made = try await Recorded.scope(realm) {
      try realm.write { _ = realm.dynamicCreate("Log", value: ["_id": 1, "level": "a"] as [String: Any]) }
    }
    #expect(made == [#"write {"Log":{"insertions":[{"_id":1,"level":"a"}]}}"#])
    #expect(
      try await Recorded.scope(realm) { _ = realm.dynamicObjects("Log").first?["level"] }
        == [#"read {"type":"Log","value":[{"_id":1,"level":"a"}]}"#])
  }
}
