import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Testing

@testable import RealmSwift

/// Classes whose objects are read and written while events are recorded.
enum Recorded {
  class Base: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Pet: Base {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
  }

  class Keeper: Base {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var pet: Pet?
    @Persisted var pets: List<Pet>
    @Persisted var byName: Map<String, Pet?>
    @Persisted var home: Home?
  }

  class Home: EmbeddedObject {
    @Persisted var city: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Secret: Base, CustomEventRepresentable {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var text: String

    func customEventRepresentation() -> String {
      text == "broken" ? "{" : "{\"length\": \(text.utf8.count), \"id\": \(_id)}"
    }
  }

  static let types: [ObjectBase.Type] = [Pet.self, Keeper.self, Home.self, Secret.self]

  static func configuration(_ events: EventConfiguration? = EventConfiguration()) -> Realm.Configuration {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
    configuration.eventConfiguration = events
    return configuration
  }

  /// Opens a Realm of the thread that asks, also from where asynchronous initializers would be taken.
  static func realm(_ configuration: Realm.Configuration) throws -> Realm {
    try Realm(configuration: configuration)
  }

  /// A Realm with two keepers and two pets, made before anything was recorded.
  static func open(_ events: EventConfiguration = EventConfiguration()) throws -> Realm {
    let realm = try realm(configuration(events))
    try realm.write {
      let rex = realm.create(Pet.self, value: ["_id": 1, "name": "Rex"])
      let tom = realm.create(Pet.self, value: ["_id": 2, "name": "Tom"])
      let ann = realm.create(Keeper.self, value: ["_id": 1, "name": "Ann", "home": ["city": "Rome"]])
      ann.pet = rex
      ann.pets.append(objectsIn: [rex, tom])
      ann.byName["tom"] = tom
      realm.create(Keeper.self, value: ["_id": 2, "name": "Bob"])
    }
    return realm
  }

  /// One stored event.
  struct Event: Hashable, CustomStringConvertible {
    let activity: String
    let event: String?
    let data: String?
    let metadata: [String: String]

    var description: String { "\(activity) \(event ?? "-") \(data ?? "-") \(metadata)" }
  }

  /// The events that the Realm's store has, in their order.
  static func events(in realm: Realm) throws -> [Event] {
    let pin = try realm.context.file.coordinator.store.pin()
    guard let table = pin.schema.objectTypes.firstIndex(where: { $0.name == "AuditEvent" }) else { return [] }
    let names = pin.schema.objectTypes[table].properties.map(\.name)
    var events: [Event] = []
    // Keys of events have no gaps.
    while true {
      let row = RowAddress(table: table, key: Int64(events.count))
      let found = try pin.read { reader throws(StorageError) in try reader.values(of: row) }
      guard let values = found else { break }
      let texts = zip(names, values).compactMap { name, value -> (String, String)? in
        if case .string(let text) = value { (name, text) } else { nil }
      }
      var event = Dictionary(uniqueKeysWithValues: texts)
      event["chain"] = nil
      let own = (
        event.removeValue(forKey: "activity"), event.removeValue(forKey: "event"),
        event.removeValue(forKey: "data")
      )
      events.append(Event(activity: own.0 ?? "", event: own.1, data: own.2, metadata: event))
    }
    return events
  }

  /// Has a scope record what `body` does, and returns the events that it has left, as kind and data.
  static func scope(
    _ realm: Realm, _ activity: String = "a", _ body: () throws -> Void
  ) async throws -> [String] {
    let before = try events(in: realm).count
    let scope = try #require(realm.events).beginScope(activity: activity)
    try body()
    let error = await commit(scope)
    if let error { throw error }
    return try events(in: realm).dropFirst(before).map { "\($0.event ?? "-") \($0.data ?? "-")" }
  }

  static func commit(_ scope: Events.Scope) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      scope.commit { error in continuation.resume(returning: error) }
    }
  }

  static func record(
    _ realm: Realm, _ activity: String, _ type: String?, _ data: String?
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      realm.events?.recordEvent(activity: activity, eventType: type, data: data) {
        continuation.resume(returning: $0)
      }
    }
  }
}
