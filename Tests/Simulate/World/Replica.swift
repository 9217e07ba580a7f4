import CGatehouseSimulation
import GatehouseModel
import GatehouseStorage

/// A store that follows the log of the gateway's, and is opened anew now and then, after a crash or without one.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Replica: @unchecked Sendable {
  private let world: World
  private let log: SimulatedLog
  private var store: Store?
  private var generation = 0
  /// Whether it has ended to follow.
  private var isDone = false

  init(of log: SimulatedLog, in world: World) {
    (self.log, self.world) = (log, world)
    sim_disk_mount(directory)
    Task { await self.follow() }
  }

  private var directory: String { "\(world.root)/replica-\(generation)" }

  private func follow() async {
    while !world.isOver {
      do {
        let used = try open()
        if Int.random(in: 0..<20, using: &world.weather) == 0 { crashSoon() }
        do { try await log.bring(used, leads: false) } catch { if store === used { throw error } }
      } catch {
        Simulation.fail("a replica cannot follow: \(error)")
        break
      }
      await world.pause(1...60)
    }
    isDone = true
  }

  private func open() throws(StorageError) -> Store {
    if let store { return store }
    var options = Service.storeOptions(world.scenario)
    // Old changes leave its log with transactions.
    options.log = log.makeEnd(isDurable: world.scenario.hasDurableLog)
    let store = try Store(directory: directory, options: options)
    self.store = store
    return store
  }

  private func crashSoon() {
    let delay = UInt64.random(in: 0...3_000_000, using: &world.weather)
    Simulation.scheduler.at(sim_now() + delay) { self.crash() }
  }

  private func crash() {
    guard let ended = store, !isDone else { return }
    Simulation.note("the replica crashes")
    let before = directory
    store = nil
    generation += 1
    sim_disk_crash(before, directory, World.drawCrash(&world.weather))
    Task { await ended.close() }
  }

  /// Comes to the end of the log, and is held against the gateway's store.
  func finish(_ service: Service) async throws {
    while !isDone { try await Task.sleep(nanoseconds: 10_000_000) }
    let store = try open()
    try await log.bring(store, leads: false)
    let (ours, others) = (
      try StoreSnapshot(directory: directory), try StoreSnapshot(directory: service.directory)
    )
    let violations = try ours.check { _, _ in }
    guard violations.isEmpty else { throw Failure("check finds \(violations.map { "\($0)" }) in a replica") }
    guard try ours.version() == others.version() else {
      throw Failure("the replica is at version \(try ours.version()), not \(try others.version())")
    }
    guard ours.schema == others.schema, store.schema == ours.schema else {
      throw Failure("the replica has another schema")
    }
    for type in ours.schema.objectTypes where !type.isEmbedded {
      let (here, there) = (
        try ours.images(of: type.name, after: nil, limit: 10_000),
        try others.images(of: type.name, after: nil, limit: 10_000)
      )
      guard here.map(\.key) == there.map(\.key), here.map(\.image) == there.map(\.image) else {
        throw Failure("the replica has other objects of \(type.name)")
      }
    }
    await store.close()
    self.store = nil
  }
}
