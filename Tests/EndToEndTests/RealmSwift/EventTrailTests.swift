import Foundation
import GatehouseStorage
import Testing

@testable import RealmSwift

/// Events that a program of Realm Swift records, as a gateway shows them.
@Suite struct EventTrailTests {
  private class Item: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func _realmObjectName() -> String? { "Item" }
  }

  /// Records a read, a write and an event of the program's own in a directory, which is closed afterwards.
  private func record(in directory: String) async throws {
    var configuration = Realm.Configuration(fileURL: URL(filePath: directory), objectTypes: [Item.self])
    configuration.eventConfiguration = EventConfiguration(metadata: ["device": "till 3"])
    let work = DispatchQueue(label: "work")
    let opened = configuration
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      work.async {
        do {
          let realm = try Realm(configuration: opened, queue: work)
          let events = try #require(realm.events)
          let scope = events.beginScope(activity: "stock")
          try realm.write { realm.add(Item(value: ["_id": 1, "name": "tea"])) }
          _ = realm.object(ofType: Item.self, forPrimaryKey: 1)?.name
          scope.commit { error in
            if let error { continuation.resume(throwing: error) }
          }
          events.recordEvent(activity: "inventory", eventType: "count", data: "1 of 1") { error in
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  @Test func `a gateway shows the events of the directory, and finds their chain unbroken`() async throws {
    let folder = try Folder()
    try await record(in: folder.data)
    let server = try RunningServer(folder)
    let answer = try server.send(
      "GET", "/v1/collections/AuditEvent?fields=activity,event,data,device,caller,custom")
    #expect(answer.status == "200 OK")
    let events = try answer.json
    let expected = try JSON(
      #"""
      [{"activity":"stock","event":"write","data":"{\"Item\":{\"insertions\":[{\"_id\":1,\"name\":\"tea\"}]}}",
        "device":"till 3","caller":null,"custom":null},
       {"activity":"stock","event":"read","data":"{\"type\":\"Item\",\"value\":[{\"_id\":1,\"name\":\"tea\"}]}",
        "device":"till 3","caller":null,"custom":null},
       {"activity":"inventory","event":"count","data":"1 of 1","device":"till 3","caller":"program","custom":"true"}]
      """#)
    #expect(events == expected, "\(answer.body)")
    #expect(server.stop() == 0)
    let verified = try Gatehouse.run(["audit", "verify", "--data", folder.data], in: folder)
    #expect(verified.status == 0, "\(verified.output) \(verified.error)")
  }
}
