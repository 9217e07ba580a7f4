import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Plain Swift beside the store: which objects there are, and whether they may become something else.
private struct Model: Equatable {
  struct User: Equatable {
    var mail: String?
    var a: Int?
    var b: Int?

    var json: String {
      let mail = mail.map { "\"\($0)\"" } ?? "null"
      return
        #""mail": \#(mail), "a": \#(a.map(String.init) ?? "null"), "b": \#(b.map(String.init) ?? "null")"#
    }
  }

  var users: [Int: User] = [:]

  var isUnique: Bool {
    let all = users.values
    let mails = all.compactMap(\.mail)
    let pairs = all.compactMap { user -> [Int]? in
      if let a = user.a, let b = user.b { [a, b] } else { nil }
    }
    return Set(mails).count == mails.count && Set(pairs).count == pairs.count
  }

  /// False, and nothing changes, where it would not be unique.
  mutating func set(_ id: Int, _ user: User?) -> Bool {
    var next = self
    next.users[id] = user
    guard next.isUnique else { return false }
    self = next
    return true
  }
}

@Suite struct UniqueModelTests {
  private static let schema = #"""
    [{"name": "User", "primaryKey": "_id", "unique": [["a", "b"]], "properties": {"_id": "int",
       "mail": {"type": "string?", "unique": true}, "a": "int?", "b": "int?"}}]
    """#

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the store takes exactly what a model of it takes`(seed: UInt64) async throws {
    try await Fixture.with(Self.schema) { fixture in
      var random = SeededGenerator(seed: seed)
      var model = Model()
      func user() -> Model.User {
        Model.User(
          mail: [nil, "a", "b", "c", "d", "e"].randomElement(using: &random) ?? nil,
          a: [nil, 1, 2, 3].randomElement(using: &random) ?? nil,
          b: [nil, 1, 2, 3].randomElement(using: &random) ?? nil)
      }
      for step in 0..<150 {
        let (id, value) = (Int.random(in: 0..<8, using: &random), user())
        let exists = model.users[id] != nil
        let target = "/v1/collections/User"
        let answer: Answer
        let isFine: Bool
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          answer = try await fixture.send(.post, target, json: "{\"_id\": \(id), \(value.json)}")
          isFine = !exists && model.set(id, value)
        case 1, 2:
          let mode = Bool.random(using: &random) ? "all" : "modified"
          answer = try await fixture.send(
            .post, "\(target)?mode=\(mode)", json: "{\"_id\": \(id), \(value.json)}")
          isFine = model.set(id, value)
        case 3:
          answer = try await fixture.send(.put, "\(target)/\(id)", json: "{\(value.json)}")
          isFine = model.set(id, value)
        case 4:
          guard exists else { continue }
          answer = try await fixture.send(
            .patch, "\(target)/\(id)", ["content-type": "application/merge-patch+json"],
            json: "{\(value.json)}")
          isFine = model.set(id, value)
        case 5:
          guard exists else { continue }
          answer = try await fixture.send(.delete, "\(target)/\(id)")
          isFine = model.set(id, nil)
        case 6:
          // All or nothing.
          let (other, second) = ((id + 1) % 8, user())
          answer = try await fixture.send(
            .post, "/v1/transactions",
            json: """
              {"operations": [{"op": "put", "class": "User", "id": \(id), "value": {\(value.json)}},
                {"op": "put", "class": "User", "id": \(other), "value": {\(second.json)}}]}
              """)
          var next = model
          isFine = next.set(id, value) && next.set(other, second)
          if isFine { model = next }
        default:
          let (other, second) = ((id + 3) % 8, user())
          answer = try await fixture.send(
            .post, "\(target)?mode=all", ["content-type": "application/x-ndjson"],
            Array("{\"_id\": \(id), \(value.json)}\n{\"_id\": \(other), \(second.json)}\n".utf8))
          var next = model
          isFine = next.set(id, value) && next.set(other, second)
          if isFine { model = next }
        }
        #expect(
          (answer.status < 300) == isFine, "seed \(seed), step \(step): \(answer.status) \(answer.text)")
        if !isFine { #expect(answer.status == 409) }
      }
      let read = try await fixture.send(.get, "/v1/collections/User?sort=_id&limit=100")
      let expected = model.users.keys.sorted().map { id in
        "{\"_id\": \(id), \(model.users[id]?.json ?? "")}"
      }
      let (shown, known) = (
        try Value(json: read.text), try Value(json: "[\(expected.joined(separator: ","))]")
      )
      #expect(shown == known)
    }
  }
}
