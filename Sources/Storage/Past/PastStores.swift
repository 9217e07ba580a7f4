import GatehouseModel
import GatehouseScheduling
import GatehouseSharing
import GatehouseTelemetry
import Glibc
import Synchronization

/// The versions of the store that were asked for lately, each a file for as long as somebody reads on in it.
///
/// A file that leaves something out, since somebody may not see it, holds as long as none of its classes has changed: their
/// rights depend on the present as well.
final class PastStores: Sendable {
  private struct Key: Hashable {
    let past: PastView
    /// The last change of the classes, where what may be seen depends on it.
    let present: Int64
  }

  private struct Entry {
    let key: Key
    let caller: Caller
    let store: PastStore
    /// On the monotonic clock, in nanoseconds.
    var used: UInt64
  }

  private struct State {
    /// The one that was used last comes last.
    var entries: [Entry] = []
    var hasTimer = false
    var count = 0
  }

  /// The most files, and the most of one caller.
  static let capacity = 8
  static let capacityOfCaller = 2
  /// How long a file is kept after it was used, in nanoseconds.
  static let lifetime: UInt64 = 60_000_000_000

  private let directory: String
  private let files: SharedBudget
  private let memory: SharedBudget
  private let lane: any Lane
  private let state = Mutex(State())

  /// Removes the files that a process that was killed has left in the directory.
  init(in directory: String, files: SharedBudget, memory: SharedBudget, on scheduler: any Scheduler) {
    lane = scheduler.makeLane("gatehouse.past", priority: .utility)
    self.directory = "\(directory)/past"
    self.files = files
    self.memory = memory
    PrivateFiles.empty(self.directory)
  }

  /// Returns the store as it was, made by a reader of the present for a caller if it is not there.
  func store(of past: PastView, for caller: Caller, by present: Reader) throws -> PastStore {
    let key = Key(
      past: past, present: past.conditions.isEmpty ? 0 : present.state.value.lastChange(of: past.classes))
    if let store = known(key) { return store }
    let store = try PastStore(
      past, by: present, at: makePath(), within: files.reservation(for: caller),
      memory: memory.reservation(for: caller))
    add(Entry(key: key, caller: caller, store: store, used: MonotonicClock.now()))
    return store
  }

  private func known(_ key: Key) -> PastStore? {
    state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.key == key }) else { return nil }
      var entry = state.entries.remove(at: index)
      entry.used = MonotonicClock.now()
      state.entries.append(entry)
      return entry.store
    }
  }

  private func makePath() throws(StorageError) -> String {
    guard mkdir(directory, PrivateFiles.directoryMode) == 0 || errno == EEXIST else {
      throw .notWritable(directory)
    }
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return "\(directory)/\(number).db"
  }

  private func add(_ entry: Entry) {
    // Files are removed when the lock is free again.
    let removed = state.withLock { state -> [Entry] in
      var removed: [Entry] = []
      while state.entries.count(where: { $0.caller == entry.caller }) >= PastStores.capacityOfCaller,
        let index = state.entries.firstIndex(where: { $0.caller == entry.caller })
      {
        removed.append(state.entries.remove(at: index))
      }
      if state.entries.count >= PastStores.capacity { removed.append(state.entries.removeFirst()) }
      state.entries.append(entry)
      precondition(state.entries.count <= PastStores.capacity, "the number of files is bounded")
      startTimer(&state)
      return removed
    }
    _ = consume removed
  }

  private func startTimer(_ state: inout State) {
    guard !state.hasTimer, !state.entries.isEmpty else { return }
    state.hasTimer = true
    lane.async(after: .nanoseconds(Int64(PastStores.lifetime / 4))) { [weak self] in self?.expire() }
  }

  private func expire() {
    let now = MonotonicClock.now()
    let expired = state.withLock { state -> [Entry] in
      let expired = state.entries.filter { now > $0.used + PastStores.lifetime }
      state.entries.removeAll { now > $0.used + PastStores.lifetime }
      state.hasTimer = false
      startTimer(&state)
      return expired
    }
    _ = consume expired
  }
}

extension StoreState {
  /// The version of the last change of an object of one of the classes.
  fileprivate func lastChange(of classes: Set<String>) -> Int64 {
    catalog.tables.indices.filter { classes.contains(catalog.tables[$0].objectType.name) }
      .map { changes[$0] }.max() ?? 0
  }
}
