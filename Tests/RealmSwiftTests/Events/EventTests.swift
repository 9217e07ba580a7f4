import Foundation
import Synchronization
import Testing

@testable import RealmSwift

/// Scopes record what a program reads and writes, as Realm's recorder has it (C:test/object-store/audit.cpp).
@MainActor struct EventTests {
  private let rex = #"{"_id":1,"name":"Rex"}"#
  private let tom = #"{"_id":2,"name":"Tom"}"#

  private func keeper(_ pet: String = "1", _ pets: String = "[1,2]", _ byName: String = #"{"tom":2}"#)
    -> String
  {
    #"{"_id":1,"byName":\#(byName),"home":{"city":"Rome"},"name":"Ann","pet":\#(pet),"pets":\#(pets)}"#
  }

  private let bob = #"{"_id":2,"byName":{},"home":null,"name":"Bob","pet":null,"pets":[]}"#

  @Test func `a Realm without a configuration of events has none`() throws {
    let realm = try Recorded.realm(Recorded.configuration(nil))
    #expect(realm.events == nil)
    var configuration = realm.configuration
    configuration.eventConfiguration = EventConfiguration()
    #expect(try Recorded.realm(configuration).events != nil)
  }

  @Test func `objects and results that are read are events, counts are not`() async throws {
    let realm = try Recorded.open()
    #expect(
      try await Recorded.scope(realm) { _ = realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 1) }
        == ["read {\"type\":\"Pet\",\"value\":[\(rex)]}"])
    #expect(try await Recorded.scope(realm) { _ = realm.objects(Recorded.Pet.self).count } == [])
    #expect(
      try await Recorded.scope(realm) { _ = realm.objects(Recorded.Pet.self).filter("_id > 5").first } == [])
    let all = "read {\"type\":\"Pet\",\"value\":[\(rex),\(tom)]}"
    let pets = realm.objects(Recorded.Pet.self).sorted(byKeyPath: "name", ascending: false)
    #expect(try await Recorded.scope(realm) { _ = pets.first } == [all])
    // A scope gets a query once, though it was evaluated before.
    #expect(
      try await Recorded.scope(realm) {
        for pet in pets { _ = pet.name }
        _ = pets[1]
        _ = realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 2)
      } == [all])
    #expect(
      try await Recorded.scope(realm) {
        _ = realm.objects(Recorded.Pet.self).where { $0.name == "Tom" }.first
        _ = realm.objects(Recorded.Keeper.self).where { $0._id == 2 }.first
        _ = realm.objects(Recorded.Pet.self).where { $0.name == "Tom" }.first
      } == [
        "read {\"type\":\"Pet\",\"value\":[\(tom)]}", "read {\"type\":\"Keeper\",\"value\":[\(bob)]}",
        "read {\"type\":\"Pet\",\"value\":[\(tom)]}",
      ])
  }

  @Test func `a link that is followed shows its target, in the object that has it as well`() async throws {
    let realm = try Recorded.open()
    let find = { realm.object(ofType: Recorded.Keeper.self, forPrimaryKey: 1) }
    #expect(
      try await Recorded.scope(realm) { _ = find()?.name } == [
        "read {\"type\":\"Keeper\",\"value\":[\(keeper())]}"
      ])
    let ann = try #require(find())
    #expect(
      try await Recorded.scope(realm) {
        _ = find()
        _ = ann.pet?.name
        _ = ann.home?.city
      } == [
        "read {\"type\":\"Keeper\",\"value\":[\(keeper(rex))]}", "read {\"type\":\"Pet\",\"value\":[\(rex)]}",
      ])
    // The same link in another scope, though its value is known.
    #expect(try await Recorded.scope(realm) { _ = ann.pet } == ["read {\"type\":\"Pet\",\"value\":[\(rex)]}"])
    #expect(
      try await Recorded.scope(realm) {
        _ = find()
        for pet in ann.pets { _ = pet.name }
      } == [
        "read {\"type\":\"Keeper\",\"value\":[\(keeper("1", "[\(rex),\(tom)]"))]}",
        "read {\"type\":\"Pet\",\"value\":[\(rex)]}", "read {\"type\":\"Pet\",\"value\":[\(tom)]}",
      ])
    #expect(
      try await Recorded.scope(realm) {
        _ = find()
        _ = ann.byName["tom"]
      } == [
        "read {\"type\":\"Keeper\",\"value\":[\(keeper("1", "[1,2]", "{\"tom\":\(tom)}"))]}",
        "read {\"type\":\"Pet\",\"value\":[\(tom)]}",
      ])
    #expect(
      try await Recorded.scope(realm) { _ = ann.pets.filter("_id = 2").first }
        == ["read {\"type\":\"Pet\",\"value\":[\(tom)]}"])
    // Names, values of lists as such, and frozen objects.
    #expect(
      try await Recorded.scope(realm) { _ = ann["pet"] } == ["read {\"type\":\"Pet\",\"value\":[\(rex)]}"])
    #expect(
      try await Recorded.scope(realm) { _ = ann.freeze().pet } == [
        "read {\"type\":\"Pet\",\"value\":[\(rex)]}"
      ])
    #expect(try await Recorded.scope(realm) { _ = ann.pets.count } == [])
  }

  @Test func `a commit is one event with its net effect`() async throws {
    let realm = try Recorded.open()
    #expect(
      try await Recorded.scope(realm) {
        try realm.write {
          realm.create(Recorded.Pet.self, value: ["_id": 3, "name": "Kim"]).name = "Kit"
          realm.delete(realm.create(Recorded.Pet.self, value: ["_id": 4, "name": "Gone"]))
        }
      } == [#"write {"Pet":{"insertions":[{"_id":3,"name":"Kit"}]}}"#])
    #expect(
      try await Recorded.scope(realm) {
        try realm.write {
          let pets = realm.objects(Recorded.Pet.self)
          let found = pets.where { $0._id == 3 }.first
          found?.name = "Changed"
          found.map { realm.delete($0) }
        }
      } == [
        #"read {"type":"Pet","value":[{"_id":3,"name":"Kit"}]}"#,
        #"write {"Pet":{"deletions":[{"_id":3,"name":"Kit"}]}}"#,
      ])
    let ann = try #require(realm.object(ofType: Recorded.Keeper.self, forPrimaryKey: 1))
    let tom = try #require(realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 2))
    #expect(
      try await Recorded.scope(realm) {
        try realm.write {
          ann.pet = tom
          tom.name = "Tim"
        }
      } == [
        #"write {"Keeper":{"modifications":[{"newValue":{"pet":2},"oldValue":\#(keeper())}]},"#
          + #""Pet":{"modifications":[{"newValue":{"name":"Tim"},"oldValue":\#(self.tom)}]}}"#
      ])
    // The same value is a change without difference, a commit without changes is none, and neither is one that is taken back.
    #expect(
      try await Recorded.scope(realm) {
        try realm.write { tom.name = "Tim" }
        try realm.write {}
        realm.beginWrite()
        tom.name = "Tam"
        realm.cancelWrite()
      } == [#"write {"Pet":{"modifications":[{"newValue":{},"oldValue":{"_id":2,"name":"Tim"}}]}}"#])
    // A change inside an embedded object is one of that object.
    #expect(
      try await Recorded.scope(realm) { try realm.write { ann.home?.city = "Oslo" } }
        == [#"write {"Home":{"modifications":[{"newValue":{"city":"Oslo"},"oldValue":{"city":"Rome"}}]}}"#])
    #expect(
      try await Recorded.scope(realm) { try realm.write { ann.home = nil } }
        .first?.hasPrefix(#"write {"Keeper":{"modifications":[{"newValue":{"home":null},"oldValue":"#) == true
    )
  }

  @Test func `reads inside of a transaction are of the state before it`() async throws {
    let realm = try Recorded.open()
    let tom = try #require(realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 2))
    #expect(
      try await Recorded.scope(realm) {
        realm.beginWrite()
        tom.name = "Tim"
        realm.create(Recorded.Pet.self, value: ["_id": 9, "name": "New"])
        _ = realm.objects(Recorded.Pet.self).sorted(byKeyPath: "_id").last
        realm.cancelWrite()
      } == ["read {\"type\":\"Pet\",\"value\":[\(rex),\(self.tom)]}"])
  }

  @Test func `scopes are stored in the order in which they end, each with all that happened in it`()
    async throws
  {
    let realm = try Recorded.open()
    let events = try #require(realm.events)
    let outer = events.beginScope(activity: "outer")
    _ = realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 1)
    let inner = events.beginScope(activity: "inner")
    #expect(outer.isActive && inner.isActive)
    _ = realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 2)
    let lost = events.beginScope(activity: "lost")
    inner.commit()
    #expect(!inner.isActive && outer.isActive)
    _ = realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 1)
    lost.cancel()
    #expect(!lost.isActive)
    #expect(await Recorded.commit(outer) == nil)
    let one = "{\"type\":\"Pet\",\"value\":[\(rex)]}"
    let two = "{\"type\":\"Pet\",\"value\":[\(tom)]}"
    #expect(
      try Recorded.events(in: realm).map { "\($0.activity) \($0.data ?? "")" }
        == ["inner \(two)", "outer \(one)", "outer \(two)", "outer \(one)"])
    // A scope in which nothing happens leaves nothing.
    #expect(await Recorded.commit(events.beginScope(activity: "empty")) == nil)
    #expect(try Recorded.events(in: realm).count == 4)
  }

  @Test func `a scope that is let go of is cancelled, and that is logged`() async throws {
    let lines = Mutex<[String]>([])
    let realm = try Recorded.open(
      EventConfiguration(logger: { level, text in lines.withLock { $0.append("\(level) \(text)") } }))
    do {
      let scope = try #require(realm.events).beginScope(activity: "lost")
      _ = realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 1)
      _ = scope.isActive
    }
    #expect(
      lines.withLock { $0 }
        == [
          "warn Event scope '1' was let go of without having been committed or cancelled: its events are lost."
        ])
    #expect(try await Recorded.scope(realm, "next") {} == [])
    #expect(try Recorded.events(in: realm).isEmpty)
  }

  @Test func `metadata is that of when a scope began`() async throws {
    let realm = try Recorded.open(EventConfiguration(metadata: ["who": "ann"]))
    let events = try #require(realm.events)
    let read = { _ = realm.object(ofType: Recorded.Pet.self, forPrimaryKey: 1) }
    let scope = events.beginScope(activity: "1")
    events.updateMetadata(["who": "bob", "where": "home"])
    read()
    #expect(await Recorded.commit(scope) == nil)
    _ = try await Recorded.scope(realm, "2", read)
    #expect(
      try Recorded.events(in: realm).map(\.metadata) == [["who": "ann"], ["who": "bob", "where": "home"]])
    // The same configuration changes nothing, another one does.
    var configuration = realm.configuration
    #expect(try Recorded.realm(configuration).events != nil)
    _ = try await Recorded.scope(realm, "3", read)
    configuration.eventConfiguration?.metadata = ["who": "eve"]
    #expect(try Recorded.realm(configuration).events != nil)
    _ = try await Recorded.scope(realm, "4", read)
    #expect(
      try Recorded.events(in: realm).suffix(2).map(\.metadata) == [
        ["who": "bob", "where": "home"], ["who": "eve"],
      ])
  }

  @Test(arguments: [
    (
      EventConfiguration(metadata: ["": "x"]),
      "Invalid audit metadata key '': keys must be 1-63 characters long"
    ),
    (
      EventConfiguration(metadata: ["timestamp": "x"]),
      "Invalid audit metadata key 'timestamp': metadata keys cannot overlap with the audit event properties"
    ),
    (EventConfiguration(partitionPrefix: ""), "Audit partition prefix must not be empty"),
    (
      EventConfiguration(partitionPrefix: "/audit"),
      "Invalid audit partition prefix '/audit': prefix must not contain slashes"
    ),
  ]) func `a configuration that cannot be is refused`(configuration: EventConfiguration, text: String) {
    let error = #expect(throws: Realm.Error.self) {
      _ = try Recorded.realm(Recorded.configuration(configuration))
    }
    #expect(error?.code == .fail && error?.localizedDescription == text)
  }

  @Test func `a program's own events are marked as such`() async throws {
    let realm = try Recorded.open(EventConfiguration(metadata: ["who": "ann"]))
    #expect(await Recorded.record(realm, "login", "button", "free text") == nil)
    #expect(await Recorded.record(realm, "logout", nil, nil) == nil)
    let own = ["who": "ann", "caller": "program", "custom": "true"]
    #expect(
      try Recorded.events(in: realm) == [
        .init(activity: "login", event: "button", data: "free text", metadata: own),
        .init(activity: "logout", event: nil, data: nil, metadata: own),
      ])
    let error = await Recorded.record(realm, "fake", "read", nil)
    #expect(
      (error as? Realm.Error)?.localizedDescription
        == "Events of kind 'read' are recorded, and not stored by programs.")
    #expect(try Recorded.events(in: realm).count == 2)
  }

  @Test func `an error that nobody waits for comes to the handler`() async throws {
    let told = AsyncStream<String>.makeStream()
    let realm = try Recorded.open(EventConfiguration(errorHandler: { told.continuation.yield("\($0)") }))
    realm.events?.recordEvent(activity: "fake", eventType: "write")
    for await text in told.stream {
      #expect(text == "Events of kind 'write' are recorded, and not stored by programs.")
      break
    }
  }

  @Test func `objects that represent themselves are recorded so`() async throws {
    let realm = try Recorded.open()
    let written = try await Recorded.scope(realm) {
      try realm.write { _ = realm.create(Recorded.Secret.self, value: ["_id": 1, "text": "hush"]) }
    }
    #expect(written == [#"write {"Secret":{"insertions":[{"id":1,"length":4}]}}"#])
    let secret = try #require(realm.object(ofType: Recorded.Secret.self, forPrimaryKey: 1))
    #expect(
      try await Recorded.scope(realm) {
        _ = realm.objects(Recorded.Secret.self).first
        try realm.write { secret.text = "longer" }
      } == [
        #"read {"type":"Secret","value":[{"id":1,"length":4}]}"#,
        #"write {"Secret":{"modifications":[{"newValue":{"length":6},"oldValue":{"id":1,"length":4}}]}}"#,
      ])
    let before = try Recorded.events(in: realm).count
    await #expect(throws: Realm.Error.self) {
      _ = try await Recorded.scope(realm) { try realm.write { secret.text = "broken" } }
    }
    #expect(secret.text == "broken")
    #expect(try Recorded.events(in: realm).count == before)
  }

  @Test func `nobody deletes events with all objects`() async throws {
    let realm = try Recorded.open()
    _ = try await Recorded.scope(realm) { _ = realm.objects(Recorded.Pet.self).first }
    try realm.write { realm.deleteAll() }
    #expect(realm.objects(Recorded.Pet.self).isEmpty)
    #expect(try Recorded.events(in: realm).count == 1)
  }

  @Test func `a scope records what other threads do in the file, and outlives the Realm`() async throws {
    let configuration = Recorded.configuration()
    var realm: Realm? = try Recorded.realm(configuration)
    let scope = try #require(realm?.events).beginScope(activity: "a")
    realm = nil
    await withCheckedContinuation { continuation in
      Thread {
        if let realm = try? Recorded.realm(configuration) {
          _ = try? realm.write { realm.create(Recorded.Pet.self, value: ["_id": 5, "name": "Far"]) }
        }
        continuation.resume()
      }.start()
    }
    #expect(await Recorded.commit(scope) == nil)
    let again = try Recorded.realm(configuration)
    #expect(
      try Recorded.events(in: again).map(\.data) == [#"{"Pet":{"insertions":[{"_id":5,"name":"Far"}]}}"#])
  }
}
