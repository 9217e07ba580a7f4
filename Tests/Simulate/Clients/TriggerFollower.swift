import CGatehouseSimulation
import GatehouseBSON
import GatehouseFunctions
import GatehouseSeeded
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTriggers

/// The function that triggers call, which fails now and then, and what it was called for.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class TriggerFollower: @unchecked Sendable {
  private struct Call {
    /// The position of the change, the second of the schedule, or the number of the login.
    let id: String
    let operation: String
    let object: Int
    /// The process that has called; of a node that leads again another one.
    let process: Int
    var isTaken = false
  }

  private let world: World
  private var generator: SeededGenerator
  private var calls: [String: [Call]] = [:]
  /// The version behind which triggers are called for changes; nil: they have not begun.
  private var origin: Int64?
  private var processes = 0

  init(in world: World) {
    self.world = world
    generator = world.scenario.generator(64)
  }

  /// Whether triggers are called for all changes from now on.
  var hasBegun: Bool { origin != nil }

  /// Runs the triggers of a service, from when the store takes where they begin.
  func start(on service: Service) async {
    prepare(service)
    await begin(on: service) { service.isUp }
  }

  /// Makes who runs the triggers of a service.
  func prepare(_ service: Service) {
    service.triggers = TriggerRunner(
      service.store, logins: service.logins, metrics: Registry(),
      TriggerActions { [weak self, weak service] (invocation) async throws(FunctionError) in
        guard let self, let service else { throw .thrown(message: "nobody is there") }
        return try await take(invocation, by: service)
      })
  }

  /// Runs the triggers of a service that was prepared.
  func begin(on service: Service, while mayRun: () -> Bool) async {
    guard let runner = service.triggers else { return }
    processes += 1
    service.triggerProcess = processes
    while mayRun() {
      do {
        try await runner.use(Self.triggers)
        // Where another node leads by now, none has begun.
        if origin == nil, service.store.isWritable { origin = service.store.version }
        break
      } catch {
        Simulation.note("no triggers: \(error)")
        await world.pause(10...100)
      }
    }
  }

  private static var triggers: [Trigger] {
    var all = WatchedChanges(of: "Item")
    all.toleratesGaps = true
    var some = WatchedChanges(of: "Item")
    (some.operations, some.filter) = ([.insert], "group == 1")
    (some.isUnordered, some.toleratesGaps) = (true, true)
    let minutes = Schedule("* * * * *").map { [Trigger("minutes", on: .time($0), calls: "f")] } ?? []
    return [
      Trigger("all", on: .changes(all), calls: "f"), Trigger("some", on: .changes(some), calls: "f"),
      Trigger("logins", on: .authentication(WatchedLogins(.login)), calls: "f"),
    ] + minutes
  }

  private func take(
    _ invocation: Invocation, by service: Service
  ) async throws(FunctionError) -> Value {
    // Nobody runs the functions of a process that has ended.
    guard service.isUp else { throw .thrown(message: "the process has ended") }
    let parts = (invocation.requestID ?? "").split(separator: ":").map(String.init)
    guard parts.count == 2 else {
      Simulation.fail("a trigger calls as \(invocation.requestID ?? "nobody")")
      return .null
    }
    let event = invocation.arguments.first
    let call = Call(
      id: parts[1], operation: event?["operationType"]?.text ?? "",
      object: event?["documentKey"]?["_id"]?.integer ?? -1, process: service.triggerProcess)
    let place = calls[parts[0], default: []].count
    calls[parts[0], default: []].append(call)
    Simulation.note("trigger \(parts[0]): \(call.id) \(call.operation) \(call.object)")
    if Int.random(in: 0..<4, using: &generator) == 0 {
      let time = UInt64.random(in: 1...20, using: &generator) * 1_000_000
      try? await Task.sleep(nanoseconds: time)
    }
    guard service.isUp, Int.random(in: 0..<30, using: &generator) > 0 else {
      throw .thrown(message: "not now")
    }
    calls[parts[0]]?[place].isTaken = true
    return .null
  }

  /// Notes what a crash may have taken back, though triggers are called for what is durable.
  func forget(after last: Int64) {
    for call in (calls["all"] ?? []) + (calls["some"] ?? []) where StreamFrame.version(of: call.id) > last {
      Simulation.fail("a trigger was called for \(call.id), which a crash has taken back to \(last)")
      return
    }
  }

  // When nothing fails any more

  /// Waits until everything was called for by the gateway that runs triggers, and holds it against the log.
  func finish(_ log: PlainStore, by service: () -> Service?) async throws {
    // Calls that fail are made again after a second, and a store that failed is tried again after a minute at most.
    for _ in 0..<600 {
      if let runner = service()?.triggers, await runner.statuses().count == Self.triggers.count,
        await runner.outlook().isIdle
      {
        break
      }
      try await Task.sleep(nanoseconds: 500_000_000)
    }
    let origin = origin ?? 0
    for status in await service()?.triggers?.statuses() ?? [] where status.state != .running {
      throw Failure("trigger \(status.trigger.name) is \(status.state): \(status.error ?? "")")
    }
    let expected = log.events.filter { StreamFrame.version(of: $0.id) > origin }
    try compareInOrder(calls["all"] ?? [], expected)
    let some = expected.filter { event in
      event.name == "insert"
        && log.states[Int(StreamFrame.version(of: event.id))][event.object]?["group"] == .integer(1)
    }
    try compare(calls["some"] ?? [], some.map(\.id))
    try compareTimes(calls["minutes"] ?? [])
    try compareLogins(calls["logins"] ?? [])
  }

  /// Each change in the order of the log: once by a process, and again by another one from where a crash has forgotten it. One that leads
  /// no more may still be at work beside its successor.
  private func compareInOrder(
    _ calls: [Call], _ expected: [(id: String, name: String, object: Int)]
  ) throws {
    let places = Dictionary(expected.enumerated().map { ($1.id, $0) }) { $1 }
    var next = 0
    var nextOfProcess: [Int: Int] = [:]
    for call in calls {
      guard let place = places[call.id], expected[place].name == call.operation,
        expected[place].object == call.object
      else { throw Failure("a trigger was called for \(call), which is not in the log") }
      let due = nextOfProcess[call.process] ?? min(place, next)
      guard place == due || world.scenario.logSize != nil && place > due else {
        throw Failure(
          "a trigger was called for \(call.id) in the place of \(expected[min(due, expected.count - 1)].id)")
      }
      nextOfProcess[call.process] = call.isTaken ? place + 1 : due
      if call.isTaken { next = max(next, place + 1) }
    }
    guard next == expected.count || world.scenario.logSize != nil else {
      throw Failure(
        "a trigger was never called for \(expected[next].id), and \(expected.count - next) in all")
    }
  }

  /// Each change at least once.
  private func compare(_ calls: [Call], _ expected: [String]) throws {
    if let other = calls.first(where: { !expected.contains($0.id) }) {
      throw Failure("an unordered trigger was called for \(other), which it does not watch")
    }
    let taken = Set(calls.lazy.filter(\.isTaken).map(\.id))
    guard world.scenario.logSize == nil else { return }
    if let missing = expected.first(where: { !taken.contains($0) }) {
      throw Failure("an unordered trigger was never called for \(missing)")
    }
  }

  /// Minutes that do not go back; one is told twice only after a crash, or by a node that leads no more.
  private func compareTimes(_ calls: [Call]) throws {
    var last: (time: Int, process: Int) = (0, 0)
    var lastOfProcess: [Int: Int] = [:]
    for call in calls {
      let mayBeLate = world.scenario.nodes > 1
      guard let time = Int(call.id), time % 60 == 0, time > lastOfProcess[call.process] ?? 0,
        mayBeLate || time > last.time || time == last.time && call.process > last.process
      else { throw Failure("a schedule calls for \(call.id) after \(last)") }
      guard call.isTaken else { continue }
      last = (time, call.process)
      lastOfProcess[call.process] = time
    }
  }

  /// Each login that somebody was told of, and none that nobody has tried.
  private func compareLogins(_ calls: [Call]) throws {
    let count = Set(calls.lazy.filter(\.isTaken).map(\.id)).count
    guard (world.logins.answered...max(world.logins.answered, world.logins.tried)).contains(count) else {
      throw Failure("a trigger was called for \(count) logins of \(world.logins)")
    }
  }
}
