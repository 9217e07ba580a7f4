import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Plain Swift beside the store: objects, and the rules that they have to meet.
private struct Model: Equatable {
  struct Item: Equatable {
    var n: Int?
    var color: String?
    var name = "ab"
    var tags: [String] = []
    var zip: String?

    var isLegal: Bool {
      (n.map { (0...9).contains($0) } ?? true) && (color.map { ["red", "blue"].contains($0) } ?? true)
        && (2...3).contains(name.unicodeScalars.count) && tags.count <= 2
        && tags.allSatisfy { ["x", "y"].contains($0) }
        && (zip.map { $0.unicodeScalars.count == 2 } ?? true)
        // Null is below no number.
        && (color != "red" || n.map { $0 < 5 } ?? false || n == nil)
    }

    var members: [String] {
      let text = { (text: String?) in text.map { "\"\($0)\"" } ?? "null" }
      return [
        #""n": \#(n.map(String.init) ?? "null")"#, #""color": \#(text(color))"#, #""name": \#(text(name))"#,
        #""tags": [\#(tags.map { text($0) }.joined(separator: ", "))]"#,
        #""home": \#(zip.map { "{\"zip\": \(text($0))}" } ?? "null")"#,
      ]
    }

    var json: String { members.joined(separator: ", ") }
  }

  var items: [Int: Item] = [:]

  var isLegal: Bool { items.values.allSatisfy(\.isLegal) }

  /// False, and nothing changes, where an object would break a rule.
  mutating func change(_ body: (inout Model) -> Void) -> Bool {
    var next = self
    body(&next)
    guard next.isLegal else { return false }
    self = next
    return true
  }
}

@Suite struct ConstraintModelTests {
  private static let schema = #"""
    [{"name": "Item", "primaryKey": "_id", "check": "color != 'red' OR n < 5 OR n = null", "properties": {"_id": "int",
       "n": {"type": "int?", "minimum": 0, "maximum": 9}, "color": {"type": "string?", "enum": ["red", "blue"]},
       "name": {"type": "string", "minLength": 2, "maxLength": 3},
       "tags": {"type": "string[]", "enum": ["x", "y"], "maxItems": 2}, "home": "Home"}},
     {"name": "Home", "embedded": true, "properties": {"zip": {"type": "string", "minLength": 2, "maxLength": 2}}}]
    """#

  private static func item(_ random: inout SeededGenerator) -> Model.Item {
    func rarely<Value>(_ usual: [Value], _ wrong: [Value]) -> Value {
      (Int.random(in: 0..<8, using: &random) == 0 ? wrong : usual).randomElement(using: &random) ?? usual[0]
    }
    return Model.Item(
      n: rarely([nil, 0, 3, 5, 9], [-1, 10, Int.max]), color: rarely([nil, "red", "blue"], ["Red", ""]),
      name: rarely(["ab", "abc", "e\u{301}", "日本"], ["", "a", "abcd", "👨‍👩‍👧"]),
      tags: rarely([[], ["x"], ["y", "y"]], [["z"], ["x", "y", "x"]]),
      zip: rarely([nil, "12"], ["", "1", "123"]))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `the store takes exactly what a model of it takes`(seed: UInt64) async throws {
    try await Fixture.with(Self.schema) { fixture in
      var random = SeededGenerator(seed: seed)
      var model = Model()
      var refusals = 0
      for step in 0..<200 {
        let (id, value) = (Int.random(in: 0..<6, using: &random), Self.item(&random))
        let target = "/v1/collections/Item"
        let patch = ["content-type": "application/merge-patch+json"]
        let answer: Answer
        let isFine: Bool
        switch (Int.random(in: 0..<10, using: &random), model.items[id]) {
        case (0, nil):
          answer = try await fixture.send(.post, target, json: "{\"_id\": \(id), \(value.json)}")
          isFine = model.change { $0.items[id] = value }
        case (1, _):
          let mode = Bool.random(using: &random) ? "all" : "modified"
          answer = try await fixture.send(
            .post, "\(target)?mode=\(mode)", json: "{\"_id\": \(id), \(value.json)}")
          isFine = model.change { $0.items[id] = value }
        case (2, _):
          answer = try await fixture.send(.put, "\(target)/\(id)", json: "{\(value.json)}")
          isFine = model.change { $0.items[id] = value }
        case (3, _?):
          answer = try await fixture.send(
            .patch, "\(target)/\(id)", patch, json: "{\(value.members[0]), \(value.members[1])}")
          isFine = model.change {
            $0.items[id]?.n = value.n
            $0.items[id]?.color = value.color
          }
        case (4, let item?) where value.tags.count == 1:
          answer = try await fixture.send(.post, "\(target)/\(id)/tags", json: "\"\(value.tags[0])\"")
          isFine = model.change { $0.items[id]?.tags = item.tags + value.tags }
        case (5, let item?):
          let by = Int.random(in: -6...6, using: &random)
          guard let n = item.n else { continue }
          answer = try await fixture.send(
            .patch, "\(target)/\(id)", ["content-type": "application/json"],
            json: "{\"$inc\": {\"n\": \(by)}}")
          isFine = model.change { $0.items[id]?.n = n + by }
        case (6, _?):
          answer = try await fixture.send(
            .patch, "\(target)?filter=TRUEPREDICATE", patch, json: "{\(value.members[1])}")
          isFine = model.change { model in for id in model.items.keys { model.items[id]?.color = value.color }
          }
        case (7, let item?) where item.zip != nil && value.zip != nil:
          answer = try await fixture.send(.put, "\(target)/\(id)/home/zip", json: "\"\(value.zip ?? "")\"")
          isFine = model.change { $0.items[id]?.zip = value.zip }
        case (8, _):
          // All or nothing is done, whatever holds on the way.
          let (other, second) = ((id + 1) % 6, Self.item(&random))
          answer = try await fixture.send(
            .post, "/v1/transactions",
            json: """
              {"operations": [{"op": "put", "class": "Item", "id": \(id), "value": {\(second.json)}},
                {"op": "put", "class": "Item", "id": \(other), "value": {\(second.json)}},
                {"op": "put", "class": "Item", "id": \(id), "value": {\(value.json)}}]}
              """)
          isFine = model.change {
            $0.items[id] = value
            $0.items[other] = second
          }
        case (9, _):
          let (other, second) = ((id + 3) % 6, Self.item(&random))
          answer = try await fixture.send(
            .post, "\(target)?mode=all", ["content-type": "application/x-ndjson"],
            Array("{\"_id\": \(id), \(value.json)}\n{\"_id\": \(other), \(second.json)}\n".utf8))
          isFine = model.change {
            $0.items[id] = value
            $0.items[other] = second
          }
        default: continue
        }
        #expect(
          (answer.status < 300) == isFine, "seed \(seed), step \(step): \(answer.status) \(answer.text)")
        if !isFine {
          #expect(answer.status == 422)
          refusals += 1
        }
      }
      #expect(refusals > 20)
      let read = try await fixture.send(.get, "/v1/collections/Item?sort=_id&limit=100")
      let expected = model.items.keys.sorted().map { "{\"_id\": \($0), \(model.items[$0]?.json ?? "")}" }
      #expect(try Value(json: read.text) == (try Value(json: "[\(expected.joined(separator: ","))]")))
    }
  }
}
