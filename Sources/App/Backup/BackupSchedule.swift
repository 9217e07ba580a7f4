import GatehouseBSON

/// Backups at an interval, until the task is cancelled: one that fails is told, and made again in the next round.
struct BackupSchedule: Sendable {
  let directory: String
  let place: any BackupPlace
  let program: String
  let interval: Duration
  /// Nil: all are kept.
  let retention: BackupRetention?
  /// Takes a line for the log.
  let report: @Sendable (String) -> Void

  func run() async {
    let writer = BackupWriter(of: directory, to: place, program: program)
    var cleanup = BackupCleanup()
    let clock = ContinuousClock()
    var next = clock.now
    while !Task.isCancelled {
      await round(writer, &cleanup)
      // One that takes longer than the interval is followed at once by the next.
      next = max(next + interval, clock.now)
      do { try await clock.sleep(until: next) } catch { return }
    }
  }

  private func round(_ writer: BackupWriter, _ cleanup: inout BackupCleanup) async {
    let start = ContinuousClock.now
    do {
      if let outcome = try await writer.run(progress: { _, _ in }) {
        let seconds = Quantity.duration(ContinuousClock.now - start)
        report(
          "backup of \(outcome.name): \(Quantity.grouped((outcome.bytes + 1023) >> 10)) KiB written in \(seconds)"
        )
      } else {
        report("no backup: nothing has changed")
      }
    } catch {
      if !Task.isCancelled { report("no backup: \(FailureText.of(error))") }
      return
    }
    guard let retention else { return }
    do {
      let count = try await cleanup.run(in: place, retention, now: .now)
      if count > 0 { report("\(count) \(count == 1 ? "backup" : "backups") removed") }
    } catch {
      if !Task.isCancelled { report("old backups stay: \(FailureText.of(error))") }
    }
  }
}
