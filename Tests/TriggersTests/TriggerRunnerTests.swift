import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTestSupport
import Synchronization
import Testing

@testable import GatehouseTriggers

@Suite struct TriggerRunnerTests {
  private func with(
    _ options: StoreOptions = StoreOptions(), _ body: (World) async throws -> Void
  ) async throws {
    let world = try await World(options)
    try await body(world)
    await world.remove()
  }

  private static func watching(_ change: (inout WatchedChanges) -> Void = { _ in }) -> Trigger {
    var watched = WatchedChanges(of: "Note")
    change(&watched)
    return Trigger("t", on: .changes(watched), calls: "f")
  }

  @Test func `a function is told of each change, in order, with the object before and after it`() async throws
  {
    try await with { world in
      try await world.create("Note", #"{"_id":1,"text":"earlier"}"#)
      let runner = world.runner()
      try await runner.use([
        Self.watching {
          $0.showsObject = true
          $0.showsObjectBefore = true
        }
      ])
      try await world.create("Other", #"{"_id":1}"#)
      try await world.create("Note", #"{"_id":2,"text":"a","tags":["x"]}"#)
      try await world.update(2, #"{"text":"b","n":7}"#)
      try await world.delete(2)
      let a = #"{"_id":2,"text":"a","n":null,"tags":["x"]}"#
      let b = #"{"_id":2,"text":"b","n":7,"tags":["x"]}"#
      #expect(
        await world.calls.events(3) == [
          #"{"operationType":"insert","documentKey":{"_id":2},"fullDocument":\#(a)}"#,
          #"{"operationType":"update","documentKey":{"_id":2},"fullDocument":\#(b),"fullDocumentBeforeChange":\#(a),"#
            + #""updateDescription":{"updatedFields":{"text":"b","n":7},"removedFields":[],"truncatedArrays":[]}}"#,
          #"{"operationType":"delete","documentKey":{"_id":2},"fullDocumentBeforeChange":\#(b)}"#,
        ])
      await runner.close()
    }
  }

  @Test(arguments: [[WatchedChanges.Operation.replace], [.update], [.update, .replace, .insert]])
  func `a replacement is another operation than an update`(operations: [WatchedChanges.Operation])
    async throws
  {
    try await with { world in
      let trigger = Self.watching { $0.operations = Set(operations) }
      let runner = world.runner()
      try await runner.use([trigger])
      // It is not there yet: it is inserted.
      try await world.replace(1, #"{"_id":1,"text":"a","tags":[]}"#)
      try await world.replace(1, #"{"_id":1,"text":"b","n":1,"tags":[]}"#)
      try await world.update(1, #"{"n":2}"#)
      let events = [
        #"{"operationType":"insert","documentKey":{"_id":1},"fullDocument":{"_id":1,"text":"a","n":null,"tags":[]}}"#,
        #"{"operationType":"replace","documentKey":{"_id":1},"fullDocument":{"_id":1,"text":"b","n":1,"tags":[]}}"#,
        #"{"operationType":"update","documentKey":{"_id":1},"updateDescription":{"updatedFields":{"n":2},"removedFields":[],"truncatedArrays":[]}}"#,
      ]
      let told = zip([WatchedChanges.Operation.insert, .replace, .update], events)
        .filter { operations.contains($0.0) }.map(\.1)
      #expect(await world.calls.events(told.count) == told)
      // Another process reads the same of what it missed.
      await runner.close()
      try await world.replace(1, #"{"_id":1,"text":"c","tags":[]}"#)
      try await world.update(1, #"{"n":3}"#)
      let second = world.runner()
      try await second.use([trigger])
      let kinds = [(WatchedChanges.Operation.replace, "replace"), (.update, "update")]
        .filter { operations.contains($0.0) }.map(\.1)
      let later = await world.calls.events(kinds.count)
      #expect(zip(later, kinds).allSatisfy { $0.hasPrefix(#"{"operationType":"\#($1)""#) }, "\(later)")
      await second.close()
    }
  }

  @Test func `only such changes of such objects are told`() async throws {
    try await with { world in
      let runner = world.runner()
      try await runner.use([
        Self.watching {
          $0.operations = [.update, .delete]
          $0.filter = "n > 5"
        }
      ])
      for n in [3, 6] { try await world.create("Note", #"{"_id":\#(n),"text":"","n":\#(n)}"#) }
      try await world.update(3, #"{"text":"x"}"#)
      try await world.update(3, #"{"n":9}"#)
      try await world.update(6, #"{"n":1}"#)
      try await world.delete(6)
      try await world.delete(3)
      let update = #""updateDescription":{"updatedFields":{"n":9},"removedFields":[],"truncatedArrays":[]}"#
      #expect(
        await world.calls.events(2) == [
          #"{"operationType":"update","documentKey":{"_id":3},\#(update)}"#,
          #"{"operationType":"delete","documentKey":{"_id":3}}"#,
        ])
      await runner.close()
    }
  }

  @Test func `a trigger that several begin at once has one worker`() async throws {
    try await with { world in
      let runner = world.runner()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { try await runner.use([Self.watching()]) } }
        try await group.waitForAll()
      }
      for id in 1...3 { try await world.create("Note", #"{"_id":\#(id),"text":""}"#) }
      let events = await world.calls.events(3)
      #expect(
        events == (1...3).map { #"{"operationType":"insert","documentKey":{"_id":\#($0)},"# + Self.note($0) })
      await runner.close()
    }
  }

  private static func note(_ id: Int) -> String {
    #""fullDocument":{"_id":\#(id),"text":"","n":null,"tags":[]}}"#
  }

  @Test func `another process goes on where the last one stopped`() async throws {
    try await with { world in
      let first = world.runner()
      try await first.use([Self.watching()])
      try await world.create("Note", #"{"_id":1,"text":""}"#)
      _ = await world.calls.events(1)
      await first.close()
      try await world.create("Note", #"{"_id":2,"text":""}"#)
      let second = world.runner()
      try await second.use([Self.watching()])
      try await world.create("Note", #"{"_id":3,"text":""}"#)
      let events = await world.calls.events(2)
      #expect(events.map { $0.contains(#""_id":2"#) } == [true, false] && events[1].contains(#""_id":3"#))
      await second.close()
    }
  }

  @Test func `a disabled trigger is told later, or not at all of what it missed`() async throws {
    for skipsMissed in [false, true] {
      try await with { world in
        let runner = world.runner()
        var trigger = Self.watching()
        trigger.skipsMissed = skipsMissed
        try await runner.use([trigger])
        try await world.create("Note", #"{"_id":1,"text":""}"#)
        _ = await world.calls.events(1)
        trigger.isDisabled = true
        try await runner.use([trigger])
        #expect(await runner.statuses().map(\.state) == [.disabled])
        try await world.create("Note", #"{"_id":2,"text":""}"#)
        trigger.isDisabled = false
        try await runner.use([trigger])
        try await world.create("Note", #"{"_id":3,"text":""}"#)
        let id = skipsMissed ? 3 : 2
        #expect(
          await world.calls.events(1) == [
            #"{"operationType":"insert","documentKey":{"_id":\#(id)},"#
              + #""fullDocument":{"_id":\#(id),"text":"","n":null,"tags":[]}}"#
          ])
        await runner.close()
      }
    }
  }

  @Test(arguments: [false, true])
  func `a function that fails is called again, then the trigger waits for somebody`(skipping: Bool)
    async throws
  {
    try await with { world in
      let runner = world.runner()
      try await runner.use([Self.watching()])
      world.calls.failure.withLock { $0 = "no" }
      try await world.create("Note", #"{"_id":1,"text":""}"#)
      try await world.create("Note", #"{"_id":2,"text":""}"#)
      let events = await world.calls.events(TriggerWorker.attempts)
      #expect(Set(events).count == 1)
      var pauses: [Int64] = []
      for await pause in world.pauses.stream {
        pauses.append(pause.components.seconds)
        if pauses.count == TriggerWorker.attempts - 1 { break }
      }
      #expect(pauses == [1, 2, 4, 8, 16, 32, 60])
      while await runner.statuses().first?.state != .suspended { await Task.yield() }
      let status = try #require(await runner.statuses().first)
      #expect((status.error, status.failures, status.lag) == ("no", TriggerWorker.attempts, 2))
      // Another process knows it as well.
      await runner.close()
      let other = world.runner()
      try await other.use([Self.watching()])
      while await other.statuses().first?.state != .suspended { await Task.yield() }
      world.calls.failure.withLock { $0 = nil }
      let answer = try #require(try await other.resume("t", skipping: skipping))
      #expect((answer.state, answer.lag) == (.running, skipping ? 1 : 2))
      #expect((answer.position == status.position) == !skipping)
      #expect(try await other.resume("u") == nil)
      let next = await world.calls.events(1)
      #expect(next[0].contains(#""documentKey":{"_id":\#(skipping ? 2 : 1)}"#))
      await other.close()
    }
  }

  @Test(arguments: [false, true])
  func `one that waits to call again does so at once, or goes on behind the change`(skipping: Bool)
    async throws
  {
    try await with { world in
      let runner = world.runner(isPatient: true)
      try await runner.use([Self.watching()])
      world.calls.failure.withLock { $0 = "no" }
      try await world.create("Note", #"{"_id":1,"text":""}"#)
      try await world.create("Note", #"{"_id":2,"text":""}"#)
      _ = await world.calls.events(1)
      for await _ in world.pauses.stream { break }
      #expect(await runner.statuses().first?.state == .retrying)
      world.calls.failure.withLock { $0 = nil }
      let answer = try #require(try await runner.resume("t", skipping: skipping))
      #expect((answer.state, answer.attempts, answer.error) == (.running, 0, nil))
      let next = await world.calls.events(1)
      #expect(next[0].contains(#""documentKey":{"_id":\#(skipping ? 2 : 1)}"#))
      await runner.close()
    }
  }

  @Test func `one that cannot be resumed stays suspended, and can be resumed again`() async throws {
    try await with { world in
      let runner = world.runner()
      try await runner.use([Self.watching()])
      world.calls.failure.withLock { $0 = "no" }
      try await world.create("Note", #"{"_id":1,"text":""}"#)
      let reader = try world.store.makeReader()
      let isKept = {
        try reader.record(TriggerState.name(of: "t")).flatMap(TriggerState.init)?.suspension != nil
      }
      while try !isKept() { await Task.yield() }
      // Nothing can be kept any more.
      await world.store.close()
      for _ in 0..<2 {
        await #expect(throws: StorageError.cancelled) { try await runner.resume("t") }
        #expect(await runner.statuses().map(\.state) == [.suspended])
      }
      await runner.close()
    }
  }

  @Test func `one that is suspended holds up no other`() async throws {
    try await with { world in
      let runner = world.runner()
      let bad = Trigger("bad", on: .changes(WatchedChanges(of: "Nothing")), calls: "f")
      try await runner.use([bad, Self.watching()])
      try await world.create("Note", #"{"_id":1,"text":""}"#)
      #expect(await world.calls.events(1).count == 1)
      while await runner.statuses().first?.state != .suspended { await Task.yield() }
      #expect(await runner.statuses().map(\.state) == [.suspended, .running])
      await runner.close()
    }
  }

  @Test(arguments: [false, true])
  func `where the log has lost changes, the trigger is suspended, or goes on with the next ones`(
    tolerates: Bool
  )
    async throws
  {
    var options = StoreOptions()
    options.logAge = 10
    try await with(options) { world in
      let runner = world.runner()
      let trigger = Self.watching { $0.toleratesGaps = tolerates }
      try await runner.use([trigger])
      try await world.create("Note", #"{"_id":1,"text":""}"#)
      _ = await world.calls.events(1)
      await runner.close()
      for id in 2...3 {
        try await world.create("Note", #"{"_id":\#(id),"text":""}"#)
        world.time.seconds.add(100, ordering: .relaxed)
      }
      try await world.store.shortenLog()
      try await runner.use([trigger])
      if tolerates {
        while await runner.statuses().first?.lag != 0 { await Task.yield() }
        try await world.create("Note", #"{"_id":4,"text":""}"#)
        #expect(await world.calls.events(1)[0].contains(#"{"_id":4}"#))
      } else {
        while await runner.statuses().first?.state != .suspended { await Task.yield() }
        #expect(
          await runner.statuses().first?.error
            == "The change log does not reach back to where the trigger was.")
      }
      await runner.close()
    }
  }

  @Test func `calls of an unordered trigger run side by side, and none is lost`() async throws {
    try await with { world in
      let running = Mutex((now: 0, most: 0))
      let (calls, ended) = AsyncStream.makeStream(of: String.self)
      let actions = TriggerActions {
        (invocation) async throws(FunctionError) in
        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        for _ in 0..<20 { await Task.yield() }
        running.withLock { $0.now -= 1 }
        ended.yield(invocation.requestID ?? "")
        return .null
      }
      let runner = TriggerRunner(world.store, metrics: Registry(), actions)
      for id in 1...40 { try await world.create("Note", #"{"_id":\#(id),"text":""}"#) }
      var state = TriggerState()
      state.position = LogPosition(version: 1)
      _ = try await world.store.keep([RecordChange(TriggerState.name(of: "t"), try state.bytes())])
      try await runner.use([Self.watching { $0.isUnordered = true }])
      var seen: Set<String> = []
      for await id in calls {
        seen.insert(id)
        if seen.count == 40 { break }
      }
      #expect(running.withLock { $0.most } > 1)
      await runner.close()
    }
  }

  @Test func `a schedule calls at its times, once for those that were missed`() async throws {
    try await with { world in
      let runner = world.runner()
      let schedule = try #require(Schedule("*/10 * * * *"))
      try await runner.use([Trigger("s", on: .time(schedule), calls: "f")])
      var iterator = world.calls.stream.makeAsyncIterator()
      var ids: [String] = []
      while ids.count < 3, let call = await iterator.next() {
        ids.append(call.requestID ?? "")
        #expect(call.arguments.isEmpty && call.runsAsSystem)
      }
      #expect(ids == ["s:1700000400", "s:1700001000", "s:1700001600"])
      await runner.close()
      let last = world.time.now.seconds
      world.time.seconds.add(100_000, ordering: .relaxed)
      let other = world.runner()
      try await other.use([Trigger("s", on: .time(schedule), calls: "f")])
      var later: [Int64] = []
      while later.count < 2, let call = await iterator.next() {
        let time = Int64(call.requestID?.dropFirst(2) ?? "") ?? 0
        if time > last { later.append(time) }
      }
      #expect(later[1] > last + 100_000 && later[0] < last + 1_200)
      await other.close()
    }
  }

  @Test func `events are those that match, and have the fields that are projected`() async throws {
    try await with { world in
      let runner = world.runner()
      try await runner.use([
        Self.watching {
          $0.match = ["fullDocument.n": ["$gte": .int32(5)], "operationType": .string("insert")]
          $0.projection = ["fullDocument.text": .int32(1), "documentKey": .int32(1)]
        }
      ])
      for (id, n) in [(1, 4), (2, 5), (3, 6)] {
        try await world.create("Note", #"{"_id":\#(id),"text":"t\#(id)","n":\#(n),"tags":["x"]}"#)
        try await world.update(Int64(id), #"{"n":9}"#)
      }
      #expect(
        await world.calls.events(2) == [
          #"{"documentKey":{"_id":2},"fullDocument":{"text":"t2"}}"#,
          #"{"documentKey":{"_id":3},"fullDocument":{"text":"t3"}}"#,
        ])
      await runner.close()
    }
  }

  private func append(
    _ operation: WatchedLogins.Operation, _ providers: [String], _ name: String, _ world: World
  ) async throws {
    let changes = try world.logins.records(
      of: operation, by: providers, ["id": .string(name)], at: Date(seconds: 5))
    if !changes.isEmpty { _ = try await world.store.keep(changes) }
    world.logins.didAppend()
  }

  @Test func `logins are told to those who watch their providers, and once more after a failure`()
    async throws
  {
    try await with { world in
      let runner = world.runner()
      try await append(.login, ["anon-user"], "early", world)
      try await runner.use([
        Trigger(
          "all", on: .authentication(WatchedLogins(.login)), does: .webhook(Webhook("https://a.example"))),
        Trigger("some", on: .authentication(WatchedLogins(.create, by: ["local-userpass"])), calls: "f"),
      ])
      for (operation, provider, name) in [
        (WatchedLogins.Operation.login, "anon-user", "ann"), (.create, "anon-user", "bob"),
        (.delete, "local-userpass", "carl"), (.create, "local-userpass", "dora"),
      ] { try await append(operation, [provider], name, world) }
      var told: [String: String] = [:]
      for await call in world.calls.stream {
        told[call.name] = String(decoding: (call.arguments.first ?? .null).plainJSON, as: UTF8.self)
        if told.count == 2 { break }
      }
      let time = "1970-01-01T00:00:05Z"
      #expect(
        told == [
          "https://a.example":
            #"{"operationType":"LOGIN","providers":["anon-user"],"user":{"id":"ann"},"time":{"$date":"\#(time)"}}"#,
          "f":
            #"{"operationType":"CREATE","providers":["local-userpass"],"user":{"id":"dora"},"time":{"$date":"\#(time)"}}"#,
        ])
      await runner.close()
    }
  }

  @Test func `a login that was not told is told by the next process`() async throws {
    try await with { world in
      let trigger = Trigger("t", on: .authentication(WatchedLogins(.login)), calls: "f")
      world.calls.failure.withLock { $0 = "not yet" }
      let runner = world.runner()
      try await runner.use([trigger])
      try await append(.login, ["anon-user"], "ann", world)
      var iterator = world.calls.stream.makeAsyncIterator()
      for _ in 0..<8 { _ = await iterator.next() }
      while await runner.statuses().first?.state != .suspended { await Task.yield() }
      await runner.close()
      world.calls.failure.withLock { $0 = nil }
      let next = world.runner()
      try await next.use([trigger])
      #expect(await next.statuses().first?.error == "not yet")
      _ = try await next.resume("t")
      let event = String(decoding: (await iterator.next()?.arguments.first ?? .null).plainJSON, as: UTF8.self)
      #expect(event.contains(#""user":{"id":"ann"}"#))
      // A trigger that is no more leaves nothing.
      try await next.use([])
      #expect(try world.store.makeReader().records(AuthenticationQueue.kind).isEmpty)
    }
  }
}
