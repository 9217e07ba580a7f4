import GatehouseScheduling
import Synchronization
import Testing

@testable import GatehouseStorage

/// The writer's turn of another thread, whose time limit passes at a moment that the test says.
@Suite struct WriterTurnTests {
  /// Waits in vain, after it has done what another thread would do meanwhile.
  private final class LateSignal: Signal {
    private let meanwhile: @Sendable () -> Void

    init(_ meanwhile: @escaping @Sendable () -> Void) { self.meanwhile = meanwhile }

    func signal() {}
    func wait() {}
    func wait(for limit: Duration) -> Bool {
      meanwhile()
      return false
    }
  }

  private struct LateScheduler: Scheduler {
    let meanwhile: @Sendable () -> Void

    func makeLane(_ label: String, priority: LanePriority) -> any Lane {
      DispatchScheduler().makeLane(label, priority: priority)
    }

    func makeSignal() -> any Signal { LateSignal(meanwhile) }
  }

  /// Returns whether a turn was rolled back in which `work` was done before the limit.
  private func isRolledBack(_ work: @escaping @Sendable (WriterTurn) -> Void) -> Bool {
    let holder = Mutex<WriterTurn?>(nil)
    let turn = WriterTurn(
      of: 1, limit: 1, on: LateScheduler { if let turn = holder.withLock({ $0 }) { work(turn) } })
    holder.withLock { $0 = turn }
    var isRolledBack = false
    turn.give { isRolledBack = true }
    turn.end()
    return isRolledBack
  }

  @Test func `the time limit takes back what is not done`() {
    #expect(isRolledBack { turn in try? turn.use {} })
  }

  @Test func `the time limit takes nothing back of what was done last`() {
    #expect(!isRolledBack { turn in try? turn.useLast {} })
  }

  @Test func `nothing is done behind what was done last`() {
    #expect(
      !isRolledBack { turn in
        try? turn.useLast {}
        #expect(throws: StorageError.timeLimit) { try turn.use {} }
        #expect(throws: StorageError.timeLimit) { try turn.useLast {} }
      })
  }
}
