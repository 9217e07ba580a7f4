import Foundation
import RealmSwift
import Testing

/// Changes inside of embedded objects, which the store keeps as changes of what they are parts of.
@MainActor struct EmbeddedChangeTests {
  class Part: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var inner: Part?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Whole: Object {
    @Persisted var name: String
    @Persisted var one: Part?
    @Persisted var list: List<Part>
    @Persisted var map: Map<String, Part?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// Lines of what observers of all parts, and of the whole, are told.
  @MainActor private final class Observed {
    let realm: Realm
    let whole: Whole
    private var lines: [String] = []
    private var tokens: [NotificationToken] = []

    init() throws {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: UUID().uuidString, objectTypes: [Whole.self, Part.self]))
      let part = ["size": 1, "inner": ["size": 2]] as [String: Any]
      whole = try realm.write {
        realm.create(
          Whole.self, value: ["one": part, "list": [part, part, part], "map": ["a": part, "b": part]])
      }
      self.realm = realm
      observe("one", whole.one)
      observe("one.inner", whole.one?.inner)
      observe("second", whole.list[1])
      observe("second.inner", whole.list[1].inner)
      observe("a", whole.map["a"] ?? nil)
      tokens.append(
        whole.list.observe { [unowned self] in
          if case .update(_, let gone, let new, let changed) = $0 {
            lines.append("list -\(gone) +\(new) ~\(changed)")
          }
        })
      tokens.append(
        whole.map.observe { [unowned self] in
          if case .update(_, let gone, let new, let changed) = $0 {
            lines.append("map -\(gone) +\(new) ~\(changed)")
          }
        })
    }

    private func observe(_ name: String, _ part: Part?) {
      guard let part else { return lines.append("\(name) is missing") }
      tokens.append(
        part.observe { [unowned self] (change: ObjectChange<Part>) in
          switch change {
          case .change(_, let properties): lines += properties.map { "\(name) \($0.name)" }
          case .deleted: lines.append("\(name) deleted")
          case .error: break
          }
        })
    }

    func told(of body: (Whole) -> Void) async throws -> [String] {
      await turn()
      lines = []
      try realm.write { body(whole) }
      await turn()
      return lines.sorted()
    }

    private func turn() async {
      for _ in 0..<2 { await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } } }
    }
  }

  @Test func `observers of a part, and of the collection that it is in, are told`() async throws {
    let observed = try Observed()
    #expect(try await observed.told { $0.one?.size = 5 } == ["one size"])
    #expect(try await observed.told { $0.one?.inner?.size = 5 } == ["one.inner size"])
    #expect(try await observed.told { $0.list[1].size = 5 } == ["list -[] +[] ~[1]", "second size"])
    #expect(
      try await observed.told { $0.list[1].inner?.size = 5 }
        == ["list -[] +[] ~[1]", "second.inner size"])
    #expect(try await observed.told { $0.list[2].size = 5 } == ["list -[] +[] ~[2]"])
    #expect(try await observed.told { ($0.map["a"] ?? nil)?.size = 5 } == ["a size", "map -[] +[] ~[\"a\"]"])
    #expect(try await observed.told { ($0.map["b"] ?? nil)?.size = 5 } == ["map -[] +[] ~[\"b\"]"])
    #expect(try await observed.told { $0.name = "new" } == [])
  }

  @Test func `a part keeps its observers where others come and go`() async throws {
    let observed = try Observed()
    #expect(try await observed.told { $0.list.remove(at: 0) } == ["list -[0] +[] ~[]"])
    #expect(
      try await observed.told {
        $0.list[0].size = 7
        $0.list.append(Part())
      } == ["list -[] +[2] ~[0]", "second size"])
    #expect(try await observed.told { $0.one = Part() } == ["one deleted", "one.inner deleted"])
    #expect(try await observed.told { $0.map["a"] = .some(nil) } == ["a deleted", "map -[] +[] ~[\"a\"]"])
    #expect(
      try await observed.told { $0.list.removeAll() }
        == ["list -[0, 1, 2] +[] ~[]", "second deleted", "second.inner deleted"])
  }

  @Test func `who observes the whole is told of another part, not of changes inside of it`() async throws {
    let observed = try Observed()
    var names: [String] = []
    let token = observed.whole.observe { (change: ObjectChange<Whole>) in
      if case .change(_, let properties) = change { names += properties.map(\.name) }
    }
    _ = try await observed.told { $0.one?.size = 5 }
    #expect(names == [])
    _ = try await observed.told { $0.one = Part() }
    #expect(names == ["one"])
    token.invalidate()
  }
}
