import Foundation
import RealmSwift
import Testing

@globalActor actor StoreActor: GlobalActor {
  static let shared = StoreActor()
}

private actor Keeper {
  var realm: Realm?

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func add(_ text: String) async throws -> Int {
    guard let realm else { return -1 }
    return try await realm.asyncWrite {
      realm.create(StringObject.self, value: [text])
      return realm.objects(StringObject.self).count
    }
  }

  struct Failure: Error {}

  func fail() async throws {
    guard let realm else { return }
    try await realm.asyncWrite {
      realm.create(StringObject.self, value: ["never"])
      throw Failure()
    }
  }

  func texts() async -> [String] {
    guard let realm else { return [] }
    await realm.asyncRefresh()
    return realm.objects(StringObject.self).sorted(byKeyPath: "stringCol").map(\.stringCol)
  }

  func observe(_ told: Lines) async -> NotificationToken? {
    await realm?.objects(StringObject.self).observe(on: self) { keeper, change in
      switch change {
      case .initial(let results): told.add("initial \(results.count) \(results.realm == keeper.realm)")
      case .update(let results, let deletions, let insertions, let modifications):
        told.add("\(results.count) -\(deletions) +\(insertions) ~\(modifications)")
      case .error: told.add("error")
      }
    }
  }

  func change() throws {
    guard let realm else { return }
    try realm.write { realm.objects(StringObject.self).first?.stringCol = "z" }
  }
}

/// The questions of Realm's tests of actors (`AsyncTests`).
struct AsyncPortTests {
  @Test func `an actor's Realm is written, refreshed and observed there`() async throws {
    let configuration = PortedRealms.configuration()
    let keeper = try await Keeper(configuration)
    #expect(try await keeper.add("a") == 1)
    await #expect(throws: Keeper.Failure.self) { try await keeper.fail() }
    let other = try await Keeper(configuration)
    #expect(try await other.add("b") == 2)
    #expect(await keeper.texts() == ["a", "b"])
    let told = Lines()
    let token = await keeper.observe(told)
    #expect(await told.nextLine() == "initial 2 true")
    _ = try await other.add("c")
    #expect(await told.nextLine() == "3 -[] +[2] ~[]")
    try await keeper.change()
    #expect(await told.nextLine() == "3 -[] +[] ~[0]")
    token?.invalidate()
  }

  @StoreActor
  @Test func `a global actor has its Realm, in which references are resolved`() async throws {
    let configuration = PortedRealms.configuration()
    let realm = try await Realm.open(configuration: configuration)
    let object = AllTypes(value: ["stringCol": "s"])
    try await realm.asyncWrite { realm.add(object) }
    let reference = ThreadSafeReference(to: object)
    let text = try await Task { @MainActor in
      let realm = try await Realm(configuration: configuration)
      let resolved = realm.resolve(reference)
      try realm.write { resolved?.stringCol = "t" }
      return resolved?.stringCol
    }.value
    #expect(text == "t")
    await realm.asyncRefresh()
    #expect(object.stringCol == "t")
    let same = try await Realm(configuration: configuration, actor: StoreActor.shared)
    #expect(same == realm)
    let told = Lines()
    let token = await object.observe(keyPaths: ["stringCol"], on: StoreActor.shared) {
      (_: isolated StoreActor, change: ObjectChange<AllTypes>) in
      if case .change(let object, let properties) = change {
        told.add("\(object.stringCol) \(properties.map(\.name)) \(properties[0].oldValue ?? "nil")")
      } else {
        told.add("deleted")
      }
    }
    try await realm.asyncWrite { object.intCol = 4 }
    try await realm.asyncWrite { object.stringCol = "u" }
    // Its own Realm has changed it, so that the value before is not told.
    #expect(await told.nextLine() == #"u ["stringCol"] nil"#)
    try await realm.asyncWrite { realm.delete(object) }
    #expect(await told.nextLine() == "deleted")
    token.invalidate()
  }

  @MainActor
  @Test func `transactions that begin later are committed, cancelled and told of`() async throws {
    let realm = try await Realm(configuration: PortedRealms.configuration())
    let error: (any Error)? = await withCheckedContinuation { done in
      realm.writeAsync {
        realm.create(StringObject.self, value: ["a"])
      } onComplete: {
        done.resume(returning: $0)
      }
      #expect(realm.isPerformingAsynchronousWriteOperations)
    }
    #expect(error == nil)
    #expect(realm.objects(StringObject.self).count == 1)
    #expect(!realm.isPerformingAsynchronousWriteOperations)
    let cancelled = realm.beginAsyncWrite { Issue.record("not cancelled") }
    try realm.cancelAsyncWrite(cancelled)
    await withCheckedContinuation { done in
      realm.beginAsyncWrite {
        realm.create(StringObject.self, value: ["b"])
        realm.commitAsyncWrite { error in
          #expect(error == nil)
          done.resume()
        }
      }
    }
    #expect(realm.objects(StringObject.self).count == 2)
    let count = try await withCheckedThrowingContinuation { done in
      Realm.asyncOpen(configuration: realm.configuration) { result in
        done.resume(with: result.map { $0.objects(StringObject.self).count })
      }
    }
    #expect(count == 2)
  }
}

extension Lines {
  /// Waits for a line without holding a thread of the pool.
  func nextLine() async -> String {
    await withCheckedContinuation { done in
      Thread.detachNewThread { done.resume(returning: self.next()) }
    }
  }
}
