import Dispatch
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseStorage
import RealmSwift
import Testing

// A Realm of the store that a gateway serves, in its process.

private final class Hound: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let configuration = Realm.Configuration(objectTypes: [Hound.self])
private let hounds = "/v1/collections/Hound"

/// A Realm of a queue that tells of the hounds that there are, and of the places of those that have changed.
private final class Kennel: @unchecked Sendable {
  private let queue = DispatchQueue(label: "kennel")
  private var realm: Realm?
  private var token: NotificationToken?
  private var told: AsyncStream<String>.Iterator
  private let tell: AsyncStream<String>.Continuation

  init(_ store: Store) throws {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    (told, tell) = (stream.makeAsyncIterator(), continuation)
    try queue.sync {
      let realm = try Realm(store: store, configuration: configuration, queue: queue)
      self.realm = realm
      token = realm.objects(Hound.self).sorted(byKeyPath: "name").observe { change in
        switch change {
        case .initial(let all): continuation.yield("initial \(Array(all.map(\.name)))")
        case .update(let all, let deletions, let insertions, let modifications):
          continuation.yield("\(Array(all.map(\.name))) -\(deletions) +\(insertions) ~\(modifications)")
        case .error(let error): continuation.yield("\(error)")
        }
      }
    }
  }

  func next() async -> String { await told.next() ?? "nothing" }

  func write(_ body: @escaping (Realm) -> Void) throws {
    try queue.sync {
      guard let realm else { return }
      try realm.write { body(realm) }
    }
  }

  func end() {
    queue.sync { (token, realm) = (nil, nil) }
    tell.finish()
  }
}

@Suite struct RealmBesideGatewayTests {
  @Test func `observers hear of what clients write, and clients read what a Realm writes`() async throws {
    try await Fixture.with(nil) { fixture in
      let kennel = try Kennel(fixture.store)
      #expect(await kennel.next() == "initial []")
      let created = try await fixture.send(.post, hounds, json: #"{"name":"Rex","age":1}"#)
      #expect(created.status == 201)
      #expect(await kennel.next() == #"["Rex"] -[] +[0] ~[]"#)
      let changed = try await fixture.send(.patch, hounds + "/Rex", json: #"{"age":2}"#)
      #expect(changed.status == 200)
      #expect(await kennel.next() == #"["Rex"] -[] +[] ~[0]"#)

      try kennel.write { $0.create(Hound.self, value: ["name": "Ben", "age": 7]) }
      #expect(await kennel.next() == #"["Ben", "Rex"] -[] +[0] ~[]"#)
      #expect(try await fixture.send(.get, hounds + "/Ben").text == #"{"name":"Ben","age":7}"#)
      let refused = try await fixture.send(.post, hounds, json: #"{"name":"Ben","age":1}"#)
      #expect(refused.status == 409)

      #expect(try await fixture.send(.delete, hounds + "/Rex").status == 204)
      #expect(await kennel.next() == #"["Ben"] -[1] +[] ~[]"#)
      kennel.end()
    }
  }

  @Test func `functions of the program write through Realms of their own`() async throws {
    let functions = FunctionHost()
    try await Fixture.with(nil, functions: functions) { fixture in
      let kennel = try Kennel(fixture.store)
      #expect(await kennel.next() == "initial []")
      functions.register("grow") { [store = fixture.store] _ in .int64(Int64(try grow(in: store))) }
      #expect(try await fixture.send(.post, hounds, json: #"{"name":"Rex","age":1}"#).status == 201)
      #expect(await kennel.next() == #"["Rex"] -[] +[0] ~[]"#)
      for age in 2...3 {
        let answer = try await fixture.send(.post, "/v1/functions/grow", json: "")
        #expect(answer.status == 200 && answer.text.contains("\(age)"))
        #expect(await kennel.next() == #"["Rex"] -[] +[] ~[0]"#)
      }
      #expect(try await fixture.send(.get, hounds + "/Rex").text == #"{"name":"Rex","age":3}"#)
      kennel.end()
    }
  }

  @Test func `many clients and a Realm add to one number, and none is lost`() async throws {
    try await Fixture.with(nil) { fixture in
      let kennel = try Kennel(fixture.store)
      try kennel.write { $0.create(Hound.self, value: ["name": "Rex", "age": 0]) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask {
            let answer = try await fixture.send(.patch, hounds + "/Rex", json: #"{"$inc":{"age":1}}"#)
            #expect(answer.status == 200, "\(answer.text)")
          }
        }
        for _ in 0..<50 {
          try kennel.write { $0.object(ofType: Hound.self, forPrimaryKey: "Rex")?.age += 1 }
        }
        try await group.waitForAll()
      }
      #expect(try await fixture.send(.get, hounds + "/Rex").text == #"{"name":"Rex","age":100}"#)
      kennel.end()
    }
  }
}

/// Makes each hound a year older, and returns the greatest age.
private func grow(in store: Store) throws -> Int {
  let realm = try Realm(store: store, configuration: configuration)
  let all = realm.objects(Hound.self)
  try realm.write { for hound in all { hound.age += 1 } }
  return all.max(ofProperty: "age") ?? 0
}
