import Dispatch
import Foundation
import GatehouseSeeded
import GatehouseTestSupport
import RealmSwift
import Synchronization
import Testing

/// A dog as plain Swift has it.
private struct PlainDog: Equatable {
  var age = 0
  var friends: [String] = []
  var tags: Set<String> = []
  var scores: [String: Int] = [:]
  var toys: [String] = []
  var extra: [Int] = []

  init() {}

  init(_ dog: Dog) {
    age = dog.age
    friends = dog.friends.map(\.name)
    tags = Set(dog.tags)
    scores = Dictionary(uniqueKeysWithValues: dog.scores.map { ($0.key, $0.value) })
    toys = dog.toys.map(\.brand)
    extra = dog.extra.listValue.map { $0.map { $0.intValue ?? -1 } } ?? []
  }
}

/// All dogs by their names.
private typealias Plain = [String: PlainDog]

/// Random steps, the same for the same seed.
private struct Steps {
  var random: SeededGenerator

  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  mutating func name() -> String { "d\(number(below: 12))" }

  /// Changes one thing, in a Realm that is in a transaction and in what it should hold.
  mutating func change(_ realm: Realm, _ plain: inout Plain) {
    let name = name()
    guard let dog = realm.object(ofType: Dog.self, forPrimaryKey: name) else {
      precondition(plain[name] == nil)
      realm.add(Dog(value: ["name": name]))
      plain[name] = PlainDog()
      return
    }
    var own = plain[name] ?? PlainDog()
    let value = number(below: 5)
    switch number(below: 16) {
    case 0:
      realm.delete(dog)
      plain[name] = nil
      for other in plain.keys { plain[other]?.friends.removeAll { $0 == name } }
      return
    case 1...3: (dog.age, own.age) = (value, value)
    case 4:
      dog.friends.append(dog)
      own.friends.append(name)
    case 5:
      let friend = self.name()
      guard let found = realm.object(ofType: Dog.self, forPrimaryKey: friend) else { return }
      let index = number(below: own.friends.count + 1)
      dog.friends.insert(found, at: index)
      own.friends.insert(friend, at: index)
    case 6 where !own.friends.isEmpty:
      let index = number(below: own.friends.count)
      dog.friends.remove(at: index)
      own.friends.remove(at: index)
    case 7 where own.friends.count > 1:
      let (from, to) = (number(below: own.friends.count), number(below: own.friends.count))
      dog.friends.move(from: from, to: to)
      own.friends.insert(own.friends.remove(at: from), at: to)
    case 8:
      dog.tags.insert("t\(value)")
      own.tags.insert("t\(value)")
    case 9:
      dog.tags.remove("t\(value)")
      own.tags.remove("t\(value)")
    case 10:
      dog.scores["s\(value)"] = value
      own.scores["s\(value)"] = value
    case 11:
      dog.scores["s\(value)"] = nil
      own.scores["s\(value)"] = nil
    case 12:
      dog.toys.append(Toy(value: ["brand": "b\(value)"]))
      own.toys.append("b\(value)")
    case 13 where !own.toys.isEmpty:
      let index = number(below: own.toys.count)
      dog.toys[index].brand = "c\(value)"
      own.toys[index] = "c\(value)"
    case 14 where own.extra.isEmpty:
      dog.extra = .fromArray([.int(value)])
      own.extra = [value]
    case 14:
      dog.extra.listValue?.append(.int(value))
      own.extra.append(value)
    case 15 where own.friends.count > 3:
      dog.friends.removeAll()
      own.friends = []
    default: return
    }
    plain[name] = own
  }
}

/// Applies the changes that an observer is told of to what it has.
private final class Follower: Sendable {
  /// The ages of the dogs, sorted by name, and why they are not what they should be.
  private let state = Mutex<(ages: [String], faults: [String], told: Int)>(([], [], 0))
  private let isDone = DispatchSemaphore(value: 0)

  func take(_ change: RealmCollectionChange<Results<Dog>>) {
    state.withLock { state in
      state.told += 1
      let now: [String]
      switch change {
      case .initial(let dogs):
        now = dogs.map { "\($0.name) \($0.age)" }
        state.ages = now
      case .update(let dogs, let deletions, let insertions, let modifications):
        now = dogs.map { "\($0.name) \($0.age)" }
        var ages = state.ages
        let changed = Set(modifications)
        let kept = ages.indices.filter { !deletions.contains($0) }
        // A place of the old ones, that is kept, is the next of the new ones that is not inserted.
        let places = now.indices.filter { !insertions.contains($0) }
        if places.count == kept.count {
          var new = now
          for (old, place) in zip(kept, places) where !changed.contains(old) { new[place] = ages[old] }
          ages = new
        }
        if ages != now { state.faults.append("\(state.ages) became \(now): \(change)") }
        state.ages = now
      case .error(let error): now = ["\(error)"]
      }
    }
  }

  var faults: [String] { state.withLock { $0.faults } }
  var told: Int { state.withLock { $0.told } }
}

/// Several threads write, read and freeze what one of them at a time changes; what they find is what plain Swift has.
/// `Scripts/check-realm` is the long form.
struct ModelTests {
  private static let steps = Machine.variable("GATEHOUSE_STEPS").flatMap { Int($0) } ?? 1500
  private static let threads = 3

  private final class Expected: Sendable {
    let plain = Mutex<Plain>([:])
    let faults = Mutex<[String]>([])
  }

  private static func read(_ realm: Realm) -> Plain {
    Plain(uniqueKeysWithValues: realm.objects(Dog.self).map { ($0.name, PlainDog($0)) })
  }

  private static func run(
    _ seed: UInt64, _ configuration: Realm.Configuration, _ expected: Expected
  ) throws {
    struct Unwanted: Error {}
    var steps = Steps(random: SeededGenerator(seed: seed))
    let realm = try Realm(configuration: configuration, queue: nil)
    var frozen: [(realm: Realm, plain: Plain)] = []
    for step in 0..<(Self.steps / threads) {
      do {
        try realm.write {
          // Who writes sees all that was committed; nobody else writes meanwhile.
          var plain = expected.plain.withLock { $0 }
          if read(realm) != plain { expected.faults.withLock { $0.append("seed \(seed), step \(step)") } }
          let before = plain
          for _ in 0...steps.number(below: 4) { steps.change(realm, &plain) }
          if read(realm) != plain {
            expected.faults.withLock { $0.append("seed \(seed), step \(step): in the transaction") }
          }
          if steps.number(below: 5) == 0 {
            precondition(expected.plain.withLock { $0 } == before)
            throw Unwanted()
          }
          expected.plain.withLock { $0 = plain }
        }
        if steps.number(below: 10) == 0, frozen.count < 5 {
          let state = realm.freeze()
          frozen.append((state, read(state)))
        }
      } catch is Unwanted {}
      if steps.number(below: 20) == 0, let (state, plain) = frozen.popLast(), read(state) != plain {
        expected.faults.withLock { $0.append("seed \(seed), step \(step): frozen") }
      }
    }
    for (state, plain) in frozen where read(state) != plain {
      expected.faults.withLock { $0.append("seed \(seed): frozen at the end") }
    }
  }

  @Test func `threads find what plain Swift has`() throws {
    let configuration = Realms.configuration()
    let expected = Expected()
    let follower = Follower()
    let queue = DispatchQueue(label: "follower")
    let keeper = try Realm(configuration: configuration)
    let token = keeper.objects(Dog.self).sorted(byKeyPath: "name").observe(on: queue) { follower.take($0) }
    let done = DispatchSemaphore(value: 0)
    let seed = Machine.variable("GATEHOUSE_SEED").flatMap { UInt64($0) } ?? 1
    for thread in 0..<Self.threads {
      Thread.detachNewThread {
        do { try Self.run(seed &* 1000 &+ UInt64(thread), configuration, expected) } catch {
          expected.faults.withLock { $0.append("\(error)") }
        }
        done.signal()
      }
    }
    for _ in 0..<Self.threads { done.wait() }
    #expect(expected.faults.withLock { $0 } == [])
    keeper.refresh()
    #expect(Self.read(keeper) == expected.plain.withLock { $0 })
    // The queue has told of most of it by now.
    queue.sync {}
    queue.sync {}
    #expect(follower.faults == [])
    #expect(follower.told > 0)
    token.invalidate()
  }
}
