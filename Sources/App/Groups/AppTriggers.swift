import GatehouseAPI
import GatehouseBSON
import GatehouseTriggers

/// The triggers of a database: those on classes of a group run on the store of the group, or on those of its shards, all others on the main one.
struct AppTriggers: Sendable {
  let main: TriggerRunner
  private let groups: [(group: ClassGroup, runner: TriggerRunner)]

  init(_ main: TriggerRunner, groups: [(ClassGroup, TriggerRunner)] = []) {
    precondition(
      Dictionary(groups.map { ($0.0.name, $0.0) }) { first, _ in first }.values.reduce(0) {
        $0 + $1.classes.count
      }
        == groups.reduce(into: Set<String>()) { $0.formUnion($1.0.classes) }.count,
      "a trigger is on one group")
    (self.main, self.groups) = (main, groups)
  }

  /// Runs these from now on, and no others, each where its store is written. Throws `StorageError` where one of the stores does not take
  /// where a trigger begins; those of the others run.
  func use(_ triggers: [Trigger]) async throws {
    var failure: (any Error)?
    // Each shard of a group is told of the changes of its own objects.
    for (group, runner) in groups {
      do { try await runner.use(triggers.filter { $0.isOn(group) }) } catch { failure = error }
    }
    try await main.use(triggers.filter { trigger in !groups.contains { trigger.isOn($0.group) } })
    if let failure { throw failure }
  }

  /// Returns whether none of them has anything to do now, and when the first of those that go by time is due.
  func outlook() async -> (isIdle: Bool, next: Date?) {
    let (isIdle, next) = await main.outlook()
    for (_, runner) in groups where !(await runner.outlook().isIdle) { return (false, nil) }
    return (isIdle, next)
  }

  /// Ends all of them, when the calls that they wait for have ended.
  func close() async {
    for (_, runner) in groups { await runner.close() }
    await main.close()
  }
}

extension Trigger {
  /// Whether it is called for changes of a class of the group.
  fileprivate func isOn(_ group: ClassGroup) -> Bool {
    if case .changes(let changes) = cause { group.classes.contains(changes.objectType) } else { false }
  }
}
