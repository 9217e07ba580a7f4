import FoundationEssentials
import GatehouseBSON
import GatehouseSharing
import Testing

@testable import GatehouseFunctions

/// Several callers, and callers who leave.
@Suite(.serialized, .enabled(if: FunctionsFixture.hasNode, "Node is not installed")) struct SharingTests {
  private static let files = [
    "config.json":
      #"[{"name":"wait","time_limit_seconds":300},{"name":"note"},{"name":"loop","time_limit_seconds":300}]"#,
    // Says that it has begun, and ends when it may.
    "wait.js": """
    const fs = require('fs');
    exports = (folder, name) => {
      fs.writeFileSync(`${folder}/begun-${name}`, '');
      while (!fs.existsSync(`${folder}/go`));
      return name;
    };
    """,
    "loop.js": "exports = () => { context.realm.objects('A').length; for (;;); };",
    "note.js": "const calls = []; exports = name => { calls.push(name); return calls; };",
  ]

  private static let (one, other) = (Caller(address: 1), Caller(address: 2))

  private static func user(_ number: Int) -> Caller { Caller(address: 1, principal: "user/\(number)") }

  private func call(_ fixture: FunctionsFixture, _ name: String, _ arguments: [Value], by caller: Caller)
    async
    -> Result<Value, FunctionError>
  {
    do throws(FunctionError) {
      let invocation = Invocation(name: name, arguments: arguments, caller: caller)
      return .success(
        try await fixture.host.call(invocation) { _ in Question.Reply(["total": .string("0")]) })
    } catch {
      return .failure(error)
    }
  }

  /// Whether the call of that name begins before others have had their turns too often.
  private func begins(_ name: String, in fixture: FunctionsFixture) async -> Bool {
    for _ in 0..<1_000_000 {
      if FileManager.default.fileExists(atPath: "\(fixture.folder)/begun-\(name)") { return true }
      await Task.yield()
    }
    return false
  }

  /// Whether so many calls come to wait for a worker before others have had their turns too often.
  private func areWaiting(_ count: Int, in fixture: FunctionsFixture) async -> Bool {
    for _ in 0..<1_000_000 {
      if fixture.host.waiting == count { return true }
      await Task.yield()
    }
    return false
  }

  @Test func `one caller's calls leave a worker to others`() async throws {
    try await FunctionsFixture.with(Self.files) { fixture async throws in
      let folder = Value.string(fixture.folder)
      await withTaskGroup(of: Result<Value, FunctionError>.self) { group in
        for name in ["1", "2", "3"] {
          group.addTask { await call(fixture, "wait", [folder, .string(name)], by: Self.one) }
        }
        // A has one of the two workers, and would have the other one as well if there were no shares.
        let notes = await call(fixture, "note", [.string("b")], by: Self.other)
        #expect(notes == .success(.array([.string("b")])))
        try? "".write(toFile: "\(fixture.folder)/go", atomically: false, encoding: .utf8)
        var results: [Result<Value, FunctionError>] = []
        for await result in group { results.append(result) }
        #expect(Set(results) == Set(["1", "2", "3"].map { .success(.string($0)) }))
      }
    }
  }

  @Test func `one caller's calls leave the queue to others`() async throws {
    try await FunctionsFixture.with(Self.files, [.set(\.workers, 1), .set(\.queue, 3)]) {
      fixture async throws in
      let folder = Value.string(fixture.folder)
      await withTaskGroup(of: (String, Result<Value, FunctionError>).self) { group in
        group.addTask { ("first", await call(fixture, "wait", [folder, .string("a")], by: Self.one)) }
        #expect(await begins("a", in: fixture))
        for _ in 0..<5 { group.addTask { ("a", await call(fixture, "note", [.string("a")], by: Self.one)) } }
        // Two of a's are refused at once.
        for _ in 0..<2 { #expect(await group.next()?.1 == .failure(.queueFull)) }
        group.addTask { ("b", await call(fixture, "note", [.string("b")], by: Self.other)) }
        // The last of a's makes room.
        #expect(await group.next()?.1 == .failure(.queueFull))
        try? "".write(toFile: "\(fixture.folder)/go", atomically: false, encoding: .utf8)
        var results: [String: [Result<Value, FunctionError>]] = [:]
        for await (name, result) in group { results[name, default: []].append(result) }
        #expect(results["first"] == [.success(.string("a"))])
        // The time that a's first call has taken counts: b is next.
        #expect(results["b"] == [.success(.array([.string("b")]))])
        #expect(results["a"]?.count == 2)
      }
    }
  }

  @Test func `many users of one address leave a worker to others`() async throws {
    try await FunctionsFixture.with(Self.files, [.set(\.workers, 4)]) { fixture async throws in
      let folder = Value.string(fixture.folder)
      await withTaskGroup(of: Result<Value, FunctionError>.self) { group in
        for user in 0..<8 {
          group.addTask { await call(fixture, "wait", [folder, .string("\(user)")], by: Self.user(user)) }
        }
        let notes = await call(fixture, "note", [.string("b")], by: Self.other)
        #expect(notes == .success(.array([.string("b")])))
        try? "".write(toFile: "\(fixture.folder)/go", atomically: false, encoding: .utf8)
        var results: Set<Result<Value, FunctionError>> = []
        for await result in group { results.insert(result) }
        #expect(results == Set((0..<8).map { .success(.string("\($0)")) }))
      }
    }
  }

  @Test func `a caller waits for one call of many users of another address`() async throws {
    try await FunctionsFixture.with(Self.files, [.set(\.workers, 1)]) { fixture async throws in
      let folder = Value.string(fixture.folder)
      await withTaskGroup(of: (String, Result<Value, FunctionError>).self) { group in
        group.addTask { ("first", await call(fixture, "wait", [folder, .string("a")], by: Self.user(0))) }
        #expect(await begins("a", in: fixture))
        for user in 1..<100 {
          group.addTask { ("a", await call(fixture, "note", [.string("a")], by: Self.user(user))) }
        }
        #expect(await areWaiting(99, in: fixture))
        group.addTask { ("b", await call(fixture, "note", [.string("b")], by: Self.other)) }
        #expect(await areWaiting(100, in: fixture))
        try? "".write(toFile: "\(fixture.folder)/go", atomically: false, encoding: .utf8)
        var results: [String: [Result<Value, FunctionError>]] = [:]
        for await (name, result) in group { results[name, default: []].append(result) }
        // The call that was under way wrote nothing into the list.
        #expect(results["b"] == [.success(.array([.string("b")]))])
        #expect(results["a"]?.count == 99)
      }
    }
  }

  @Test func `a call whose caller leaves ends, and its worker with it`() async throws {
    try await FunctionsFixture.with(Self.files, [.set(\.workers, 1)]) { fixture async throws in
      let begun = AsyncStream.makeStream(of: Void.self)
      let task = Task { () async -> FunctionError? in
        do throws(FunctionError) {
          _ = try await fixture.host.call(Invocation(name: "loop", arguments: [])) { _ in
            begun.continuation.yield()
            return Question.Reply(["total": .string("0")])
          }
          return nil
        } catch {
          return error
        }
      }
      for await _ in begun.stream { break }
      task.cancel()
      #expect(await task.value == .abandoned)
      #expect(try await fixture.call("note", [.string("x")]) == .array([.string("x")]))
      #expect(fixture.log.lines.first?["outcome"] == .string("abandoned"))
    }
  }

  @Test func `a call that waits for a worker leaves with its caller`() async throws {
    try await FunctionsFixture.with(Self.files, [.set(\.workers, 1)]) { fixture async throws in
      let folder = Value.string(fixture.folder)
      let first = Task { await call(fixture, "wait", [folder, .string("a")], by: Self.one) }
      #expect(await begins("a", in: fixture))
      let second = Task { await call(fixture, "note", [.string("gone")], by: Self.other) }
      await Task.yield()
      second.cancel()
      #expect(await second.value == .failure(.abandoned))
      try "".write(toFile: "\(fixture.folder)/go", atomically: false, encoding: .utf8)
      #expect(await first.value == .success(.string("a")))
      #expect(await call(fixture, "note", [.string("x")], by: Self.other) == .success(.array([.string("x")])))
    }
  }
}
