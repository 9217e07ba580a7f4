import CGatehouseSimulation
import GatehouseHTTP
import GatehouseSharing
import GatehouseStorage

// Expectations.
extension World {
  /// Reads the log of a service, and holds it against what clients were told and what it was before.
  ///
  /// - Parameters:
  ///   - end: The last version that a crash has left, and when nothing could become durable any more; nil: there was none.
  ///   - isLast: Whether there is nobody who may be shown versions meanwhile that come behind the log as it is read.
  func examine(
    _ service: Service, losing: Bool, after end: (version: Int64, time: UInt64)? = nil, isLast: Bool = true
  ) async throws {
    let last = min(service.store.version, end?.version ?? .max)
    if scenario.window > 0, losing { forgetLost(after: last, at: end?.time ?? sim_now()) }
    guard let content = try await readLog(of: service) else {
      if archive.hasGap { (log, observations) = (nil, []) }
      return
    }
    let before = log
    let now = try PlainStore(log: content, attempts, losesClasses: scenario.hasClassChanges)
    if let before {
      try now.continues(
        before, through: min(before.lastVersion, scenario.window > 0 ? last : before.lastVersion))
    }
    log = now
    if scenario.mostVersions > 0, now.lastVersion > scenario.mostVersions {
      throw Failure("the log has more than \(scenario.mostVersions) versions")
    }
    try explainObservations(through: isLast ? .max : now.lastVersion)
    floor = max(floor, last)
  }

  /// The whole log; nil: not all of it is known.
  private func readLog(of service: Service) async throws -> [UInt8]? {
    if scenario.logSize != nil {
      // Somebody else may be extending it.
      for _ in 0..<20 where !archive.hasGap {
        if try await extendArchive(from: service) { return archive.content }
        try await Task.sleep(nanoseconds: 1_000_000)
      }
      return nil
    }
    let request = Self.request(.get, "/v1/changes?since=0", ["accept": "application/x-ndjson"])
    for attempt in 0... {
      guard let answer = await service.answer(request, onLoop: 0) else { return nil }
      if answer.status == 200 { return answer.content }
      // It may not be known whether the read is recorded.
      guard transactions != nil, answer.status == 503, attempt < 50 else {
        throw Failure("the log cannot be read: \(answer.status) \(answer.text)")
      }
      try await Task.sleep(nanoseconds: 100_000_000)
    }
    return nil
  }

  /// Writes that were answered before they were durable may be lost if they were young.
  ///
  /// Nothing becomes durable any more once a sync has failed, though the process goes on to answer reads.
  private func forgetLost(after last: Int64, at now: UInt64) {
    // A window, and the pause of the one who writes; longer where the disk has failed meanwhile, or is slow.
    let isLate = hasFailed || scenario.latency > 0
    let youngest = UInt64(scenario.window) * 1_000_000 + (isLate ? 1_000_000_000 : 20_000_000)
    for (tag, attempt) in attempts {
      if case .performed = attempt.outcome {
        if attempt.time + youngest >= now { attempts[tag]?.outcome = .unclear }
        continue
      }
      guard case .acknowledged(let version) = attempt.outcome, version > last else { continue }
      if attempt.time + youngest >= now { attempts[tag]?.outcome = .unclear }
    }
    floor = min(floor, last)
    rollbacks.append(last)
    observations.removeAll { $0.ceiling > last }
    for follower in followers { follower.forget(after: last) }
    for replica in replicas { replica.forget(after: last) }
    triggers?.forget(after: last)
  }

  /// Holds what clients were shown of versions up to that one against the log, and forgets it.
  func explainObservations(through last: Int64 = .max) throws {
    guard let log else { return }
    for observation in observations where observation.floor <= last && !log.explains(observation) {
      throw Failure(
        "\(observation.reader) was shown what was at no version of \(observation.floor)...\(observation.ceiling): "
          + "\(observation.content)")
    }
    observations.removeAll { $0.floor <= last }
  }

  /// When nothing fails any more, everything is answered, and what is there is what was written.
  func finish() async throws {
    if let cluster { return try await finish(cluster) }
    await restartAfterFailedSync()
    guard service != nil else { return }
    stay()
    try await settle(by: Client(999, in: self), from: 0)
    // Clients that have left are back by then.
    try await Task.sleep(nanoseconds: 1_000_000_000)
    try await settle(by: Client(996, in: self), from: 200)
    guard let service else { return }
    try await examine(service, losing: false, isLast: false)
    situationText = "streams are to arrive"
    if let log {
      for follower in followers { try await follower.finish(log, last: service.store.version) }
      for replica in replicas { try await replica.finish(last: service.store.version) }
      try await triggers?.finish(log) { service }
      // Where reads are recorded, there are versions more by now.
      try await examine(service, losing: false)
    } else {
      for follower in followers { follower.stop() }
      for replica in replicas { replica.stop() }
    }
    for follower in results { try await follower.finish(by: service) }
    for intruder in intruders { intruder.finish() }
    await cancelScopes(service)
    situationText = "the store is read"
    try await compare(service)
    try await examineAudit(service.directory)
    try await examineScopes(service)
    try check(service.directory)
    situationText = "the store is closed and opened again"
    try await reopen(service)
  }

  /// Has those who watch be told by the streams that they have: one that is told nothing more would not be noticed where they come back.
  func stay() {
    for follower in followers { follower.stay() }
    for follower in results { follower.stay() }
    for replica in replicas { replica.stay() }
  }

  /// Has a store whose sync has failed opened again: it writes nothing more.
  private func restartAfterFailedSync() async {
    await untilUp()
    guard service?.store.failure == .syncFailed else { return }
    isOver = false
    crash()
    isOver = true
    await untilUp()
  }

  /// A write succeeds within a few seconds once the disk works.
  private func settle(by client: Client, from first: Int) async throws {
    for attempt in 0... {
      // A sync that was under way when faults ended may fail later.
      await restartAfterFailedSync()
      guard let service else { return }
      if await client.insertLast(first + attempt, by: service) { break }
      guard attempt < 60 else {
        throw Failure(
          "nothing can be written when the disk works again: \(String(describing: service.store.failure))")
      }
      try await Task.sleep(nanoseconds: 500_000_000)
    }
  }

  private func compare(_ service: Service) async throws {
    let client = Client(998, in: self)
    observations = []
    try await client.readAll(by: service)
    try explainObservations()
    for _ in 0..<200 where service.isBusy { try await Task.sleep(nanoseconds: 100_000_000) }
    guard !service.isBusy else { throw Failure("a request was never answered") }
    service.isResting = true
    // Copies of the past are kept for a minute after they were used.
    try await Task.sleep(nanoseconds: 100_000_000_000)
    guard service.store.memory.used == 0, service.store.temporaryFiles.used == 0 else {
      throw Failure(
        "\(service.store.memory.used) bytes of memory and \(service.store.temporaryFiles.used) of files are still held"
      )
    }
  }

  func check(_ directory: String) throws {
    let violations = try StoreSnapshot(directory: directory).check { _, _ in }
    guard violations.isEmpty else { throw Failure("check finds \(violations.map { "\($0)" })") }
  }

  private func reopen(_ ended: Service) async throws {
    // A write that nobody has waited for is durable when the store has been closed.
    _ = await Client(997, in: self).insertLast(100, by: ended)
    ended.end()
    await ended.close()
    try await replica?.finish(ended)
    let last = ended.store.version
    service = nil
    sim_disk_crash(
      ended.directory, directory(generation + 1),
      sim_crash(lost_sectors: 1_000_000, torn_sectors: 0, flipped_sectors: 0))
    generation += 1
    let service = try await Service.open(
      at: directory(generation), scenario, appendingTo: transactions)
    guard service.store.version == last else {
      throw Failure("the store was closed at version \(last), and is at \(service.store.version)")
    }
    try check(service.directory)
    service.end()
    await service.store.close()
    if scenario.isDamaged { try await damage() }
  }
}
