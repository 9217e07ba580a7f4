import CGatehouseSimulation
import GatehouseSeeded
import GatehouseStorage

extension World {
  /// Lets the disk fail in one way for a while.
  func storm() {
    if let cluster {
      for faults in cluster.disturb() { remember(faults) }
      return
    }
    guard let service, !isOver else { return }
    let faults = Self.drawFaults(&weather)
    isCalm = false
    remember(faults)
    Simulation.note(
      "storm: \(faults.failed_reads)/\(faults.failed_writes)/\(faults.failed_syncs) of a million, room \(faults.capacity), "
        + "read-only \(faults.is_read_only)")
    sim_disk_set_faults(service.directory, faults)
    let length = UInt64([1, 10, 100, 1_000].randomElement(using: &weather)!) * 1_000_000
    // Syncs that have failed show best where nobody has written the same pages since.
    let endsInCrash = scenario.crashes > 0 && faults.failed_syncs > 0 && Bool.random(using: &weather)
    Simulation.scheduler.at(sim_now() + length) { [weak self] in
      self?.calm()
      if endsInCrash { self?.lull() }
    }
  }

  /// Draws one of the ways in which a disk fails.
  static func drawFaults(_ weather: inout SeededGenerator) -> sim_faults {
    var faults = sim_faults()
    let rate = UInt32([1_000, 20_000, 200_000].randomElement(using: &weather)!)
    switch Int.random(in: 0..<7, using: &weather) {
    case 0: faults.failed_reads = rate
    case 1: faults.failed_writes = rate
    case 2, 3: faults.failed_syncs = rate
    case 4: faults.capacity = Int64.random(in: 60_000...400_000, using: &weather)
    case 5: faults.is_read_only = 1
    default: (faults.failed_reads, faults.failed_writes, faults.failed_syncs) = (rate / 4, rate / 4, rate / 4)
    }
    return faults
  }

  private func remember(_ faults: sim_faults) {
    hasFailed = true
    hasFailedReads = hasFailedReads || faults.failed_reads > 0
    hasFailedSyncs = hasFailedSyncs || faults.failed_syncs > 0
  }

  func calm() {
    cluster?.calm()
    guard !isCalm else { return }
    isCalm = true
    Simulation.note("calm")
    if let service { sim_disk_set_faults(service.directory, sim_faults()) }
  }

  /// Has a crash come in the middle of what happens.
  func crashSoon() {
    let delay = UInt64.random(in: 0...3_000_000, using: &generator)
    Simulation.scheduler.at(sim_now() + delay) { [weak self] in self?.crash() }
  }

  /// Has clients make no requests for a while, in which a crash comes.
  func lull() {
    guard !isOver else { return }
    Simulation.note("lull")
    let length = UInt64([300, 1_500, 4_000].randomElement(using: &weather)!) * 1_000_000
    lullUntil = sim_now() + length
    let delay = UInt64.random(in: 0...length, using: &weather)
    Simulation.scheduler.at(sim_now() + delay) { [weak self] in self?.crash() }
  }

  /// Has a loop do nothing for a while, the last one more often than others.
  func stall() {
    guard let service = reach(), !isOver else { return }
    let length = [5, 50, 300].randomElement(using: &weather)!
    let loop = Bool.random(using: &weather) ? scenario.loops - 1 : 0
    stall(service, loop: loop, for: length)
  }

  private func stall(_ service: Service, loop: Int, for milliseconds: Int) {
    Simulation.note("loop \(loop) stands still for \(milliseconds) ms")
    service.stall(loop: loop, for: .milliseconds(milliseconds))
  }

  /// Has the last loop, where an intruder watches, do nothing while the rights change by another one: what was told before and behind that
  /// waits for it. Returns whether one does.
  func stallWatchers(for milliseconds: Int) -> Bool {
    guard scenario.loops > 1, scenario.stalls > 0, let service = reach() else { return false }
    stall(service, loop: scenario.loops - 1, for: milliseconds)
    return true
  }

  /// Ends the gateway where it stands. What was not synced may be lost, or nothing, as when only the process is killed.
  func crash() {
    if let cluster { return cluster.crash() }
    guard let ended = service, !isOver else { return }
    let crash = Self.drawCrash(&weather)
    let next = directory(generation + 1)
    Simulation.note(
      "crash: \(crash.lost_sectors) of a million sectors are lost, \(crash.torn_sectors) torn, \(crash.flipped_sectors) flipped"
    )
    sim_disk_crash(ended.directory, next, crash)
    transactions?.fence()
    calm()
    service = nil
    ended.end()
    Task {
      // Its threads find that the disk has gone.
      await ended.close()
    }
    // Pages whose sync has failed are lost whatever the crash takes.
    let isLossy = crash.lost_sectors > 0 || crash.flipped_sectors > 0 || hasFailed
    Task {
      do { try await restart(after: ended, losing: isLossy) } catch {
        Simulation.fail("\((error as? Failure)?.text ?? "after a crash: \(error)")")
        Simulation.scheduler.stop()
      }
    }
  }

  /// Draws what a crash takes of what was not synced.
  static func drawCrash(_ weather: inout SeededGenerator) -> sim_crash {
    var crash = sim_crash()
    switch Int.random(in: 0..<4, using: &weather) {
    case 0: break
    case 1: crash.lost_sectors = 1_000_000
    default:
      crash.lost_sectors = UInt32([50_000, 500_000, 900_000].randomElement(using: &weather)!)
      crash.torn_sectors = UInt32([0, 100_000].randomElement(using: &weather)!)
      crash.flipped_sectors = UInt32([0, 20_000, 300_000].randomElement(using: &weather)!)
    }
    return crash
  }

  func directory(_ number: Int) -> String { "\(root)/\(number)" }

  /// Opens the store that a crash has left, and holds it against what is known.
  private func restart(after ended: Service, losing: Bool) async throws {
    generation += 1
    var last: Int64?
    if scenario.hasPrograms {
      // With a log, commits that are gone from the file are applied once more.
      if transactions == nil { last = try? StoreSnapshot(directory: directory(generation)).version() }
      try await runProgram()
    }
    try await start(after: ended, losing: losing, last: last)
  }

  func start(after ended: Service?, losing: Bool = false, last: Int64? = nil) async throws {
    let path = directory(generation)
    if ended == nil { sim_disk_mount(path) }
    var made: Service?
    for attempt in 0... {
      do {
        made = try await Service.open(at: path, scenario, appendingTo: transactions)
        break
      } catch {
        // A disk that fails now may work later.
        Simulation.note("cannot start: \(error)")
        guard let error = error as? StorageError, !error.isDamage, attempt < 100 else {
          throw Failure("the store does not open: \(error)")
        }
        if attempt == 50 { calm() }
        await pause(5...50)
      }
    }
    guard let made else { return }
    Simulation.note("up at version \(made.store.version)")
    if let transactions { Task { await made.keepLeading(transactions) } }
    if let ended {
      try await examine(
        made, losing: losing, after: (last ?? made.store.version, ended.failedAt ?? sim_now()))
    }
    // No login is to come before they watch.
    if ended != nil { await triggers?.start(on: made) }
    service = made
    // To resume one is a step, in which others may come.
    let waiters = waitingForService
    waitingForService = []
    for waiter in waiters { waiter.resume() }
  }
}

extension StorageError {
  /// Whether the file is damaged, which no fault of these can be the reason of.
  var isDamage: Bool {
    switch self {
    case .corrupt, .unknownFormat: true
    default: false
    }
  }
}
