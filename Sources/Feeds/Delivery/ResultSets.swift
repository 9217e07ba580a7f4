import GatehouseModel
import GatehouseStorage
import Synchronization

/// Keeps the results that are watched up to date: one query for each, and not more often than there is time for.
actor ResultSets {
  private struct Entry {
    let subscription: Subscription
    var state: ResultsState
    var loopBrokers: [ObjectIdentifier: LoopBroker] = [:]
  }

  private struct Inbox {
    var touched: [Int: TouchedObjects] = [:]
    var isScheduled = false
  }

  private var lazyReader: LazyReader
  private var entries: [Int: Entry] = [:]
  private nonisolated let inbox = Mutex(Inbox())

  init(_ store: Store) {
    lazyReader = LazyReader(store)
  }

  /// Lets a subscriber have the results as they are and what becomes of them.
  func join(_ subscriber: Subscriber, _ subscription: Subscription, group: Int) {
    guard let reader = try? reader(),
      let state = entries[group]?.state ?? (try? reader.state(of: subscription))
    else {
      return subscriber.loopBroker.post([.refuse(subscriber, group: group)])
    }
    if entries[group] == nil { entries[group] = Entry(subscription: subscription, state: state) }
    entries[group]?.loopBrokers[ObjectIdentifier(subscriber.loopBroker)] = subscriber.loopBroker
    let encoded = reader.initial(of: subscription, state)
    subscriber.loopBroker.post([
      .begin(subscriber, group: group, encoded, LogPosition(version: state.version))
    ])
  }

  private func reader() throws(StorageError) -> ResultsReader { ResultsReader(reader: try lazyReader.get()) }

  /// Nobody watches any more.
  func forget(_ group: Int) {
    entries[group] = nil
  }

  /// Objects have changed; nil: so many that they are not named.
  nonisolated func note(_ group: Int, _ ids: Set<Mixed>?) {
    let mustSchedule = inbox.withLock { inbox in
      inbox.touched[group, default: TouchedObjects()].add(ids)
      if inbox.isScheduled { return false }
      inbox.isScheduled = true
      return true
    }
    if mustSchedule { Task { await refresh() } }
  }

  private func refresh() {
    let touched = inbox.withLock { inbox in
      inbox.isScheduled = false
      let touched = inbox.touched
      inbox.touched = [:]
      return touched
    }
    for (group, touched) in touched { refresh(group, touched) }
  }

  private func refresh(_ group: Int, _ touched: TouchedObjects) {
    guard let entry = entries[group] else { return }
    // Results that can't be looked at now are looked at with the next commit: nothing that was touched may be
    // forgotten.
    guard let update = try? reader().update(of: entry.subscription, from: entry.state, touched) else {
      return inbox.withLock { inbox in
        inbox.touched[group, default: TouchedObjects()].add(touched.ids)
        if touched.isAnywhere { inbox.touched[group]?.isAnywhere = true }
      }
    }
    precondition(update.new.version >= entry.state.version, "results go forward")
    entries[group]?.state = update.new
    guard update.encoded != nil else { return }
    for loopBroker in entry.loopBrokers.values { loopBroker.post([.update(update, group: group)]) }
  }
}
