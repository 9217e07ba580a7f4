import Dispatch
import Foundation
import RealmSwift
import Testing

/// A person whose dogs are several, by a list.
private class Walker: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var group: List<Walked>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Walked: Object {
  @Persisted var name: String
  @Persisted(originProperty: "group") var walkers: LinkingObjects<Walker>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Observers of key paths along links from others, and of sections, told of when the Realm is refreshed.
struct LinkingChangeTests {
  private let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: Realms.types + [Walker.self, Walked.self])
  private let queue = DispatchQueue(label: "links")

  /// Returns what an observer that `observe` makes is told of each change, of the beginning at first.
  private func follow(
    _ observe: (Realm, @escaping (String) -> Void) -> NotificationToken, _ changes: [(Realm) -> Void]
  ) throws -> [String] {
    let writer = try Realm(configuration: configuration)
    return try queue.sync {
      let seen = try Realm(configuration: configuration, queue: queue)
      var told: [String] = []
      let token = observe(seen) { told.append($0) }
      try writer.write {
        writer.create(Everything.self, value: ["id": writer.objects(Everything.self).count])
      }
      seen.refresh()
      var texts: [String] = []
      for change in changes {
        told = []
        try writer.write { change(writer) }
        seen.refresh()
        texts.append(told.joined(separator: "; "))
      }
      token.invalidate()
      return texts
    }
  }

  private func text<C>(_ change: RealmCollectionChange<C>) -> String {
    guard case .update(_, let deletions, let insertions, let modifications) = change else { return "initial" }
    return "-\(deletions) +\(insertions) ~\(modifications)"
  }

  @Test func `only who is linked to is modified by links from others`() throws {
    let writer = try Realm(configuration: configuration)
    try writer.write {
      for name in ["Ann", "Ben"] { writer.create(Person.self, value: ["name": name]) }
      writer.create(Dog.self, value: ["name": "Max"])
    }
    func person(_ realm: Realm, _ name: String) -> Person? {
      realm.objects(Person.self).filter("name == %@", name).first
    }
    let told = try follow(
      { realm, add in realm.objects(Person.self).observe(keyPaths: ["dogs"]) { add(self.text($0)) } },
      [
        { $0.create(Dog.self, value: ["name": "Rex", "owner": person($0, "Ann") as Any]) },
        { $0.create(Dog.self, value: ["name": "Tim"]) },
        { $0.object(ofType: Dog.self, forPrimaryKey: "Max")?.age = 7 },
        { $0.object(ofType: Dog.self, forPrimaryKey: "Rex")?.owner = person($0, "Ben") },
        { $0.object(ofType: Dog.self, forPrimaryKey: "Rex")?.age = 7 },
        { $0.delete($0.objects(Dog.self).filter("name == 'Rex'")) },
        { $0.delete($0.objects(Dog.self).filter("name == 'Tim'")) },
      ])
    #expect(told == ["-[] +[] ~[0]", "", "", "-[] +[] ~[0, 1]", "", "-[] +[] ~[1]", ""])
  }

  @Test func `lists link, too, and names of those who link are on the path`() throws {
    let writer = try Realm(configuration: configuration)
    try writer.write {
      for name in ["a", "b"] { writer.create(Walked.self, value: ["name": name]) }
      writer.create(Walker.self, value: ["name": "Ann"])
    }
    func walked(_ realm: Realm, _ index: Int) -> Walked { realm.objects(Walked.self)[index] }
    func ann(_ realm: Realm) -> Walker { realm.objects(Walker.self)[0] }
    let told = try follow(
      { realm, add in realm.objects(Walked.self).observe(keyPaths: ["walkers"]) { add(self.text($0)) } },
      [
        { ann($0).group.append(walked($0, 1)) },
        { ann($0).group.append(walked($0, 0)) },
        { ann($0).group.remove(at: 0) },
        { ann($0).group.removeAll() },
        { $0.create(Walker.self, value: ["name": "Ben", "group": [walked($0, 0)]] as [String: Any]) },
      ])
    #expect(told == ["-[] +[] ~[1]", "-[] +[] ~[0]", "-[] +[] ~[1]", "-[] +[] ~[0]", "-[] +[] ~[0]"])
    // A list that has the target twice links to it twice (C:table.cpp keeps one backlink for each link).
    try writer.write { ann(writer).group.append(objectsIn: [walked(writer, 0), walked(writer, 0)]) }
    #expect(walked(writer, 0).walkers.map(\.name).sorted() == ["Ann", "Ann", "Ben"])
  }

  @Test func `key paths are walked as long as they are, and all that is linked to within three links`() throws
  {
    let writer = try Realm(configuration: configuration)
    try writer.write {
      var last: Dog?
      for name in ["e", "d", "c", "b", "a"] {
        last = writer.create(
          Dog.self, value: ["name": name, "friends": last.map { [$0] } ?? []] as [String: Any])
      }
      // A cycle.
      writer.object(ofType: Dog.self, forPrimaryKey: "e")?.friends.append(
        writer.object(ofType: Dog.self, forPrimaryKey: "e") ?? Dog())
    }
    let change: (Realm) -> Void = { $0.object(ofType: Dog.self, forPrimaryKey: "e")?.age += 1 }
    func told(_ keyPaths: [String]?) throws -> [String] {
      try follow(
        { realm, add in
          realm.objects(Dog.self).sorted(byKeyPath: "name").observe(keyPaths: keyPaths) { add(self.text($0)) }
        }, [change])
    }
    #expect(try told(nil) == ["-[] +[] ~[1, 2, 3, 4]"])
    #expect(try told(["friends.friends.friends.friends.age"]) == ["-[] +[] ~[0, 1, 2, 3, 4]"])
    #expect(try told(["name"]) == [""])
  }

  @Test func `a row that stays in the section of its key is modified, wherever the section is by now`() throws
  {
    let writer = try Realm(configuration: configuration)
    try writer.write {
      for name in ["Rex", "Tim"] { writer.create(Dog.self, value: ["name": name, "age": 3]) }
    }
    let told = try follow(
      { realm, add in
        realm.objects(Dog.self).sorted(byKeyPath: "name").sectioned(by: \.age).observe { change in
          guard
            case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted) =
              change
          else { return }
          func pairs(_ paths: [IndexPath]) -> [[Int]] { paths.map { [$0[0], $0[1]] } }
          add(
            "-\(pairs(deletions)) +\(pairs(insertions)) ~\(pairs(modifications)) \(Array(inserted)) \(Array(deleted))"
          )
        }
      },
      [
        {
          $0.create(Dog.self, value: ["name": "Ben", "age": 1])
          $0.object(ofType: Dog.self, forPrimaryKey: "Rex")?.weight = 4
        },
        {
          $0.delete($0.objects(Dog.self).filter("name == 'Ben'"))
          $0.object(ofType: Dog.self, forPrimaryKey: "Tim")?.weight = 4
        },
      ])
    #expect(told == ["-[] +[[0, 0]] ~[[0, 0]] [0] []", "-[] +[] ~[[1, 1]] [] [0]"])
  }

  @Test func `an object that came and went between two states is told of to nobody`() throws {
    let told = try follow(
      { realm, add in realm.objects(Dog.self).observe { add(self.text($0)) } },
      [
        { realm in
          realm.create(Dog.self, value: ["name": "Rex"])
          realm.delete(realm.objects(Dog.self))
        }
      ])
    #expect(told == [""])
  }

  @Test func `sets, linking objects and sections tell of what changes`() throws {
    let writer = try Realm(configuration: configuration)
    let (rex, ann) = (Dog(value: ["name": "Rex", "tags": ["b"]]), Person(value: ["name": "Ann"]))
    try writer.write { writer.add([rex, ann] as [Object]) }
    let change: (Realm) -> Void = { realm in
      let rex = realm.objects(Dog.self)[0]
      rex.tags.insert("a")
      rex.owner = realm.objects(Person.self)[0]
    }
    #expect(
      try follow(
        { realm, add in realm.objects(Dog.self)[0].tags.observe { add(self.text($0)) } },
        [change, { $0.objects(Dog.self)[0].tags.remove("b") }]
      ).map { $0.first == "-" } == [true, true])
    #expect(
      try follow(
        { realm, add in realm.objects(Person.self)[0].dogs.observe { add(self.text($0)) } },
        [
          { $0.objects(Dog.self)[0].age += 1 }, { $0.objects(Dog.self)[0].owner = nil },
          { $0.objects(Dog.self)[0].owner = $0.objects(Person.self)[0] },
        ]) == ["-[] +[] ~[0]", "-[0] +[] ~[]", "-[] +[0] ~[]"])
    #expect(
      try follow(
        { realm, add in
          realm.objects(Dog.self).sectioned(by: \.name)[0].observe { change in
            guard case .update(_, let deletions, let insertions, let modifications, _, _) = change else {
              return
            }
            add("\(deletions.count) \(insertions.count) \(modifications.count)")
          }
        },
        [
          { $0.create(Dog.self, value: ["name": "Ben"]) },
          { $0.object(ofType: Dog.self, forPrimaryKey: "Rex")?.age += 1 },
        ]) == ["", "0 0 1"])
  }
}

@MainActor struct ChangeLoopTests {
  @Test func `a loop over changes stays on its actor`() async throws {
    let realm = try Realms.open()
    var (turns, counts) = (0, [Int]())
    for await change in realm.objects(Dog.self).changes() {
      MainActor.assertIsolated()
      switch change {
      case .initial(let dogs): counts.append(dogs.count)
      case .update(let dogs, _, let insertions, _):
        #expect(insertions.count == 1)
        counts.append(dogs.count)
      case .error: break
      }
      turns += 1
      if turns > 100 { break }
      try realm.write { realm.create(Dog.self, value: ["name": "\(turns)"]) }
    }
    #expect(counts == Array(0...100))
  }

  @Test func `changes of sections are looped over, and single ones asked for`() async throws {
    let realm = try Realms.open()
    let iterator = realm.objects(Dog.self).sectioned(by: \.age).changes().makeAsyncIterator()
    guard case .initial? = await iterator.next() else {
      Issue.record("no beginning")
      return
    }
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    guard case .update(let sections, _, _, _, let inserted, _)? = await iterator.next() else {
      Issue.record("no update")
      return
    }
    #expect(sections.count == 1 && Array(inserted) == [0])
  }

  @Test func `a Realm tells of its own commits, and a thread safe value is had anywhere`() async throws {
    let realm = try Realms.open()
    var told: [Realm.Notification] = []
    let token = realm.observe { notification, _ in told.append(notification) }
    let rex = try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    #expect(told == [.didChange])
    token.invalidate()
    try realm.write { rex.age = 4 }
    #expect(told.count == 1)
    @ThreadSafe var safe: Dog? = rex
    let wrapper = _safe
    #expect(await Task.detached { wrapper.wrappedValue?.age }.value == 4)
    try realm.write { realm.delete(rex) }
    #expect(safe == nil)
  }
}
