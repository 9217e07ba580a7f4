import Dispatch
import Foundation
import GatehouseSeeded
import RealmSwift
import Testing

private final class Stone: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var weight: Int
  @Persisted var label: String
  @Persisted var tags: List<String>

  var text: String { "\(id) \(weight) \(label) \(Array(tags))" }
}

private final class Heap: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var size: Int
  @Persisted var stone: Stone?

  var text: String { "\(name) \(size) \(stone?.text ?? "none")" }
}

/// Keeps the texts of results by what an observer is told, and says where they are not those of the results.
private final class Follower<Element: Object> {
  private let results: Results<Element>
  private let text: (Element) -> String
  private var texts: [String] = []
  private var token: NotificationToken?
  private(set) var told = 0

  init(_ results: Results<Element>, on keyPaths: [String]? = nil, _ text: @escaping (Element) -> String) {
    self.results = results
    self.text = text
    token = results.observe(keyPaths: keyPaths) { [unowned self] in take($0) }
  }

  private func take(_ change: RealmCollectionChange<Results<Element>>) {
    guard case .update(let results, let deletions, let insertions, let modifications) = change else {
      texts = results.map(text)
      return
    }
    told += 1
    let modified = Set(modifications)
    let kept = texts.indices.filter { !deletions.contains($0) }.map {
      modified.contains($0) ? nil : texts[$0]
    }
    var old = kept[...]
    texts = results.enumerated().map { index, element in
      insertions.contains(index) ? text(element) : old.popFirst().flatMap(\.self) ?? text(element)
    }
  }

  /// The difference between the results and the texts; nil: there is none.
  var fault: String? {
    let now = Array(results.map(text))
    return texts == now ? nil : "told \(texts), which is \(now)"
  }
}

/// Observers are told the same, whether their results are evaluated anew or a change is found not to concern them.
struct RelevanceTests {
  private let queue = DispatchQueue(label: "relevance")

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `observers are told of all that concerns their results`(_ seed: UInt64) throws {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Stone.self, Heap.self])
    var random = SeededGenerator(seed: seed)
    let realm = try Realm(configuration: configuration)
    try queue.sync { try follow(realm, configuration, &random) }
  }

  private func follow(
    _ realm: Realm, _ configuration: Realm.Configuration, _ random: inout SeededGenerator
  ) throws {
    let seen = try Realm(configuration: configuration, queue: queue)
    let stones = seen.objects(Stone.self)
    let followers = [
      Follower(stones, \.text),
      Follower(stones.where { $0.weight == 3 }, \.text),
      Follower(stones.where { $0.weight == 3 && $0.label == "a" }, \.text),
      Follower(stones.where { $0.weight > 2 }.sorted(by: \.label), \.text),
      Follower(stones.filter("tags.@count > 0"), \.text),
      Follower(stones.where { $0.label == "a" }.distinct(by: [\.weight])) { "\($0.weight)" },
      Follower(stones.where { $0.weight < 4 }, on: ["label"]) { "\($0.id) \($0.label)" },
    ]
    let heaps = seen.objects(Heap.self)
    let others = [
      Follower(heaps.sorted(byKeyPath: "name"), \.text),
      Follower(heaps.where { $0.size > 1 }, \.text),
      Follower(heaps.where { $0.size > 1 }, on: ["stone.weight"]) { "\($0.name) \($0.stone?.weight ?? -1)" },
      Follower(heaps, on: ["size"]) { "\($0.name) \($0.size)" },
    ]
    for step in 0..<150 {
      try change(realm, &random)
      seen.refresh()
      let faults = followers.compactMap(\.fault) + others.compactMap(\.fault)
      #expect(faults == [], "step \(step)")
    }
    #expect(followers.allSatisfy { $0.told > 0 } && others.allSatisfy { $0.told > 0 })
    // The others are told of stones that they have nothing to do with less often than who has all.
    #expect(followers[2].told < followers[0].told)
  }

  /// Changes a few objects in one transaction.
  private func change(_ realm: Realm, _ random: inout SeededGenerator) throws {
    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    try realm.write {
      for _ in 0...number(3) {
        let (id, value) = (number(12), number(6))
        guard let stone = realm.object(ofType: Stone.self, forPrimaryKey: id) else {
          realm.create(Stone.self, value: ["id": id, "weight": value, "label": ["a", "b"][value % 2]])
          continue
        }
        let heap = realm.create(Heap.self, value: ["name": "h\(value)"], update: .modified)
        switch number(8) {
        case 0: realm.delete(stone)
        case 1, 2: stone.weight = value
        case 3: stone.label = ["a", "b", "c"][value % 3]
        case 4: stone.tags.append("t\(value)")
        case 5: stone.tags.removeAll()
        case 6: heap.size = number(4)
        default: heap.stone = value == 0 ? nil : stone
        }
      }
    }
  }
}
