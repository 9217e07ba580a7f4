import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Synchronization

/// Keeps the results that are watched up to date: one query for each, and not more often than there is time for.
actor ResultSets {
  private struct Entry {
    let subscription: Subscription
    var state: ResultsState
    var loopBrokers: [ObjectIdentifier: LoopBroker] = [:]
  }

  /// The changes in one result since it was looked at.
  private struct Touched {
    var ids: Set<Mixed> = []
    var isAnywhere = false
  }

  private struct Inbox {
    var touched: [Int: Touched] = [:]
    var isScheduled = false
  }

  private let reader: Reader
  private var entries: [Int: Entry] = [:]
  private nonisolated let inbox = Mutex(Inbox())

  init(_ store: Store) throws(StorageError) {
    reader = try store.makeReader()
  }

  /// Lets a subscriber have the results as they are and what becomes of them.
  func join(_ subscriber: Subscriber, _ subscription: Subscription, group: Int) {
    guard let state = entries[group]?.state ?? (try? look(at: subscription, since: nil, Touched())) else {
      return subscriber.loopBroker.post([.refuse(subscriber, group: group)])
    }
    if entries[group] == nil { entries[group] = Entry(subscription: subscription, state: state) }
    entries[group]?.loopBrokers[ObjectIdentifier(subscriber.loopBroker)] = subscriber.loopBroker
    let encoded = ResultsWriter(state: state).initial(hasSections: subscription.hasSections)
    subscriber.loopBroker.post([
      .begin(subscriber, group: group, encoded, LogPosition(version: state.version))
    ])
  }

  /// Nobody watches any more.
  func forget(_ group: Int) {
    entries[group] = nil
  }

  /// Objects have changed; nil: so many that they are not named.
  nonisolated func note(_ group: Int, _ ids: Set<Mixed>?) {
    let mustSchedule = inbox.withLock { inbox in
      if let ids {
        inbox.touched[group, default: Touched()].ids.formUnion(ids)
      } else {
        inbox.touched[group, default: Touched()].isAnywhere = true
      }
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

  private func refresh(_ group: Int, _ touched: Touched) {
    guard let entry = entries[group] else { return }
    // Results that can't be looked at now are looked at with the next commit: nothing that was touched may be
    // forgotten.
    guard let state = try? look(at: entry.subscription, since: entry.state, touched) else {
      return inbox.withLock { inbox in
        inbox.touched[group, default: Touched()].ids.formUnion(touched.ids)
        if touched.isAnywhere { inbox.touched[group]?.isAnywhere = true }
      }
    }
    let ids =
      if !touched.isAnywhere {
        touched.ids
      } else if entry.subscription.rules == nil {
        Set(state.rows.map(\.id))
      } else {
        state.changedIDs(since: entry.state)
      }
    let update = ResultsUpdate(
      from: entry.state, to: state, touched: ids, hasSections: entry.subscription.hasSections)
    entries[group]?.state = state
    guard update.encoded != nil else { return }
    for loopBroker in entry.loopBrokers.values { loopBroker.post([.update(update, group: group)]) }
  }

  /// The results as they are; what was not touched since `last` shows what it showed. Nil: the query has no meaning in
  /// the schema as it is.
  private func look(
    at subscription: Subscription, since last: ResultsState?, _ touched: Touched
  ) throws(StorageError) -> ResultsState? {
    var known: [Mixed: ResultsState.Row] = [:]
    if !touched.isAnywhere {
      for row in last?.rows ?? [] where !touched.ids.contains(row.id) { known[row.id] = row }
    }
    return try reader.results(subscription.results(in:)) { set throws(StorageError) in
      var rows: [ResultsState.Row] = []
      for row in set.rows {
        if let known = known[row.id] {
          rows.append(
            ResultsState.Row(id: row.id, section: row.section, json: known.json, reads: known.reads))
        } else if subscription.recordsReads {
          let (json, reads) = try set.observedJSON(row)
          rows.append(ResultsState.Row(id: row.id, section: row.section, json: json, reads: reads))
        } else {
          rows.append(ResultsState.Row(id: row.id, section: row.section, json: try set.json(row)))
        }
      }
      return ResultsState(rows, version: set.version, set.schema)
    }
  }
}

extension Subscription {
  fileprivate var hasSections: Bool { results?.sectionBy != nil }

  fileprivate func results(in schema: Schema) -> (plan: Plan, section: SectionKey?)? {
    guard case .objectType(let name) = scope, let results, var plan = try? plan(of: name, in: schema) else {
      return nil
    }
    guard let text = results.sectionBy else {
      plan.clauses.append(.limit(results.limit))
      return (plan, nil)
    }
    // A page of sections: those behind its end do not take an object's place in an earlier one.
    plan.pageSize = results.limit
    plan.cursor = nil
    guard let section = try? SectionKey(text, objectType: name, schema: schema) else { return nil }
    return (plan, section)
  }
}
