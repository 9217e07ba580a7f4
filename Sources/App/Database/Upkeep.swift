import GatehouseAPI
import GatehouseAudit
import GatehouseBSON
import GatehouseStorage

/// The work of a running server that nobody asks for: ended sessions and old events go, again and again.
struct Upkeep: Sendable {
  /// Nil: they are another database's.
  let users: Users?
  /// Nil: nothing is recorded.
  let recorder: Recorder?
  let settings: Settings
  /// Waits between two rounds; throws where there is to be no other.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Works until the task is cancelled.
  func run() async {
    async let purging: Void = purgeUsers()
    async let retiring: Void = retireEvents()
    _ = await (purging, retiring)
  }

  private func goesOn(after duration: Duration) async -> Bool {
    do { try await pause(duration) } catch { return false }
    return !Task.isCancelled
  }

  /// Removes expired sessions and anonymous users every hour.
  private func purgeUsers() async {
    guard let users else { return }
    while await goesOn(after: .seconds(3_600)) {
      do { try await users.purge() } catch {
        Output.warn("sessions that have ended stay: \(FailureText.of(error))")
      }
    }
  }

  /// Moves old events to archives every ten minutes, and at once.
  private func retireEvents() async {
    guard let recorder else { return }
    let folder = AuditFolder(dataDirectory: settings.data)
    guard settings.auditDays > 0 else { return }
    repeat {
      let now = Date.now
      let time = Date(seconds: now.seconds - Int64(settings.auditDays) * 86_400, nanoseconds: now.nanoseconds)
      do {
        while try await recorder.retire(before: time, { try folder.write($0) }) > 0, !Task.isCancelled {}
      } catch {
        Output.warn("old events stay where they are: \(FailureText.of(error))")
      }
    } while await goesOn(after: .seconds(600))
  }
}
