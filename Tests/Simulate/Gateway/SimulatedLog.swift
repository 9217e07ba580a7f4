import CGatehouseSimulation
import GatehouseSeeded
import GatehouseStorage

/// A log of transactions that outlives the stores which append to it, and is out of reach now and then.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class SimulatedLog: @unchecked Sendable {
  /// The entries, of which the first has number 1.
  private(set) var entries: [[UInt8]] = []
  /// Whether it fails now and then.
  var fails = true
  private var generator: SeededGenerator
  private var epoch = 0

  init(_ generator: SeededGenerator) { self.generator = generator }

  /// Refuses what those append who have an end already.
  func fence() { epoch += 1 }

  /// Returns an end for a store that is about to lead, or to follow.
  func makeEnd(isDurable: Bool) -> any TransactionLog { End(isDurable: isDurable, log: self, epoch: epoch) }

  private struct End: TransactionLog {
    let isDurable: Bool
    let log: SimulatedLog
    let epoch: Int

    func append(_ part: TransactionPart) throws(TransactionLogError) -> ReplicationPoint {
      try log.append(part, epoch)
    }

    func didNotCommit(_ point: ReplicationPoint) {
      Simulation.note("log: \(point.sequence) is not committed")
    }
  }

  private func append(_ part: TransactionPart, _ epoch: Int) throws(TransactionLogError) -> ReplicationPoint {
    sim_point()
    guard epoch == self.epoch else { throw .refused }
    let fate = fails ? Int.random(in: 0..<200, using: &generator) : 9
    if fate == 0 { throw .unavailable }
    if fate != 1 { entries.append(part.bytes) }
    Simulation.note("log: \(entries.count), version \(part.version)\(fate < 3 ? ", in doubt" : "")")
    // It may have it, or not.
    if fate < 3 { throw .inDoubt }
    return ReplicationPoint(sequence: UInt64(entries.count))
  }

  /// Has a store that follows apply what it lacks, and lead from then on where it is the one.
  func bring(_ store: Store, leads: Bool) async throws {
    var place = store.replicationPoint?.sequence ?? 0
    while place < UInt64(entries.count) {
      let part = try TransactionPart(entries[Int(place)])
      place += 1
      try await store.apply(part, at: ReplicationPoint(sequence: place))
    }
    if leads { try await store.lead() }
  }
}
