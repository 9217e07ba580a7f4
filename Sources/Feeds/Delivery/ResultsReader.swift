import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// The objects of one result that have changed since it was read.
struct TouchedObjects {
  var ids: Set<Mixed> = []
  /// Whether more have than are named.
  var isAnywhere = false

  /// Adds objects; nil: so many that they are not named.
  mutating func add(_ others: Set<Mixed>?) {
    if let others { ids.formUnion(others) } else { isAnywhere = true }
  }
}

/// Reads results, and finds how they have changed.
struct ResultsReader {
  let reader: Reader

  /// Returns how results have changed; nil: the query has no meaning in the schema as it is.
  func update(
    of subscription: Subscription, from old: ResultsState, _ touched: TouchedObjects
  ) throws(StorageError) -> ResultsUpdate? {
    guard let new = try state(of: subscription, since: old, touched) else { return nil }
    let ids =
      if !touched.isAnywhere {
        touched.ids
      } else if subscription.rules == nil {
        Set(new.rows.map(\.id))
      } else {
        new.changedIDs(since: old)
      }
    return ResultsUpdate(from: old, to: new, touched: ids, hasSections: subscription.hasSections)
  }

  /// Returns the frame with all of the results.
  func initial(of subscription: Subscription, _ state: ResultsState) -> EncodedEvents {
    ResultsWriter(state: state).initial(hasSections: subscription.hasSections)
  }

  /// The results as they are; what was not touched since `last` shows what it showed. Nil: the query has no meaning in
  /// the schema as it is.
  func state(
    of subscription: Subscription, since last: ResultsState? = nil,
    _ touched: TouchedObjects = TouchedObjects()
  ) throws(StorageError) -> ResultsState? {
    var known: [Mixed: ResultsState.Row] = [:]
    if !touched.isAnywhere {
      for row in last?.rows ?? [] where !touched.ids.contains(row.id) { known[row.id] = row }
    }
    return try reader.results(subscription.results(in:)) { set throws(StorageError) in
      var rows: [ResultsState.Row] = []
      var sectionKeys: [Mixed: [UInt8]] = [:]
      for row in set.rows {
        if subscription.hasSections, sectionKeys[row.section] == nil {
          sectionKeys[row.section] = try set.sectionJSON(row)
        }
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
      return ResultsState(rows, sectionKeys: sectionKeys, version: set.version, set.schema)
    }
  }
}

extension Subscription {
  fileprivate var hasSections: Bool { results?.sectionBy != nil }

  fileprivate func results(in schema: Schema) -> (plan: Plan, section: SectionKey?)? {
    let schema = knownPart(of: schema)
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
