public import GatehouseStorage
import Synchronization

/// A store that live Realms of this process share, and those of them that want to know of commits.
public final class Coordinator: Sendable {
  private struct Member {
    weak var realm: LiveRealm?
  }

  public let store: Store
  private let members = Mutex<[Member]>([])
  /// Counts the states of all live Realms, so that no two of them have the same number.
  private static let states = Atomic<UInt64>(1)

  public init(_ store: Store) {
    self.store = store
    store.addCommitObserver { [weak self] in self?.didCommit() }
  }

  /// Returns a number that is greater than that of any state so far.
  public static func nextState() -> UInt64 { states.add(1, ordering: .relaxed).newValue }

  /// Tells a Realm of commits from now on, for as long as it is there.
  func add(_ realm: LiveRealm) {
    members.withLock { members in
      members.removeAll { $0.realm == nil }
      members.append(Member(realm: realm))
    }
  }

  private func didCommit() {
    let realms = members.withLock { $0.compactMap(\.realm) }
    for realm in realms { realm.schedule() }
  }
}
