import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Keeps count of the objects that quotas are about, and holds transactions against these. Reads tables, and owns none.
///
/// A condition's objects are counted when a transaction with its quota comes for the first time; from then on every
/// transaction, whoever makes it, adds what it changes: an object's part in the counters before its first change is taken
/// away, and its part when it is logged is added.
///
///     growth ──transaction performed──▶ usage, journal ──SQLite's commit──▶ usage
///     discarded by the next                 taken back by restore(_:)
final class UsageCounters {
  /// A step to undo where SQLite's transaction is rolled back.
  private enum Step {
    /// A condition's objects were counted when the connection had made so many changes.
    case count(UsageCounter, changes: Int)
    case growth(UsageCounter, Usage)
  }

  /// A place in the journal, and the changes that the connection had made then.
  struct Mark {
    fileprivate let steps: Int
    fileprivate let changes: Int
  }

  /// A quota of the transaction that is being performed.
  fileprivate struct Limit {
    let quota: ObjectQuota
    let counter: UsageCounter
  }

  /// Counters that are kept; when there are more, all are counted anew.
  static let capacity = 65_536

  private let statements: WriteStatements
  private let images: ImageReader
  private let appendOnly: AppendOnlyTables
  private let keys: KeyFinder
  private var counters: [UsageCounter.Place: [UsageCounter]] = [:]
  private var count = 0
  /// For each class with counters, the properties of their places.
  private var properties: [Int: Set<Int?>] = [:]
  /// The parts that objects had in counters before they were touched, with their sizes.
  private var before: [RowAddress: (counters: [UsageCounter], size: Int)] = [:]
  /// Counters to which the transaction has added something.
  private var grown: [UsageCounter] = []
  private var limits: [Limit] = []
  private var journal: [Step] = []

  init(_ base: WriteBase, images: ImageReader) {
    statements = base.statements
    appendOnly = base.appendOnly
    keys = base.keys
    self.images = images
  }

  // The transaction

  /// Forgets what a transaction that failed has left.
  func begin() {
    for counter in grown { counter.growth = Usage() }
    grown = []
    limits = []
    if !before.isEmpty { before = [:] }
  }

  /// Takes the quotas of a transaction, before its first operation.
  func begin(_ conditions: [String: ObjectCondition]) throws(StorageError) {
    if count >= Self.capacity { (counters, properties, count) = ([:], [:], 0) }
    for (name, condition) in conditions {
      guard let quota = condition.quota, let table = try? statements.catalog.index(of: name),
        !appendOnly.contains(table)
      else { continue }
      limits.append(
        Limit(quota: quota, counter: try counter(for: quota, condition: condition.writable, table: table)))
    }
  }

  /// Notes the parts that an object, which is there and about to change, has in counters.
  func willTouch(_ row: RowAddress) throws(StorageError) {
    guard properties[row.table] != nil, before[row] == nil else { return }
    let counters = try counters(of: row, nil)
    before[row] = (
      counters, try size(counters) { () throws(StorageError) in try images.image(of: row).count }
    )
  }

  /// Counts an object as it is when the transaction is done with it. `draft`: it was made of that, and has not changed since;
  /// `size` gives its bytes, nil: it is gone.
  func didChange(
    _ row: RowAddress, by operation: Int, _ draft: ObjectDraft? = nil,
    size: (() throws(StorageError) -> Int)?
  ) throws(StorageError) {
    guard properties[row.table] != nil else { return }
    if let (counters, size) = before.removeValue(forKey: row) {
      for counter in counters { add(Usage() - Usage(objects: 1, bytes: size), to: counter, operation) }
    }
    guard let size else { return }
    let counters = try counters(of: row, draft)
    let bytes = try self.size(counters, size)
    for counter in counters { add(Usage(objects: 1, bytes: bytes), to: counter, operation) }
  }

  /// Throws ``StorageError/quotaExceeded(_:)`` where the transaction, all of which is logged, adds to objects of which there
  /// are then more than may be.
  func check() throws(OperationError) {
    for limit in limits {
      let counter = limit.counter
      if !limit.quota.isLasting { counter.growth = try usageNow(counter) - counter.usage }
      guard let excess = limit.excess(statements.catalog.tables[counter.place.table].objectType.name) else {
        continue
      }
      throw OperationError(operation: counter.operation, reason: .quotaExceeded(excess))
    }
  }

  /// The transaction has been performed.
  func finish() {
    for counter in grown {
      journal.append(.growth(counter, counter.growth))
      counter.usage = counter.usage + counter.growth
      counter.growth = Usage()
    }
    grown = []
  }

  // SQLite's transaction

  var mark: Mark { Mark(steps: journal.count, changes: statements.session.connection.totalChanges) }

  /// Takes back what was counted since: the file has been rolled back.
  func restore(_ mark: Mark) {
    precondition(journal.count >= mark.steps, "what is taken back is in the journal")
    var kept: [Step] = []
    while journal.count > mark.steps, let step = journal.popLast() {
      switch step {
      case .growth(let counter, let growth): counter.usage = counter.usage - growth
      // Counted in the state that is back, which may be rolled back as well.
      case .count(_, let changes) where changes == mark.changes: kept.append(step)
      case .count(let counter, _): remove(counter)
      }
    }
    journal += kept
  }

  /// All of it is in the file.
  func didCommit() { journal.removeAll(keepingCapacity: true) }

  // Counters

  private func counter(
    for quota: ObjectQuota, condition: Predicate, table: Int
  ) throws(StorageError) -> UsageCounter {
    let type = statements.catalog.tables[table].objectType
    let counter = UsageCounter(condition, of: type, table: table, countsBytes: quota.bytes != nil)
    let others = quota.isLasting ? counters[counter.place] ?? [] : []
    if let other = others.first(where: {
      $0.condition == condition && ($0.countsBytes || !counter.countsBytes)
    }) {
      return other
    }
    counter.usage = try counted(counter)
    guard quota.isLasting else { return counter }
    counters[counter.place, default: []].append(counter)
    properties[table, default: []].insert(counter.place.property)
    count += 1
    precondition(counters.count <= count, "the counters that are kept are counted")
    journal.append(.count(counter, changes: statements.session.connection.totalChanges))
    return counter
  }

  private func remove(_ counter: UsageCounter) {
    guard let index = counters[counter.place]?.firstIndex(where: { $0 === counter }) else { return }
    counters[counter.place]?.remove(at: index)
    if counters[counter.place]?.isEmpty == true { counters[counter.place] = nil }
    count -= 1
    precondition(count >= 0 && (count == 0) == counters.isEmpty, "the counters that are kept are counted")
  }

  private func usageNow(_ counter: UsageCounter) throws(OperationError) -> Usage {
    do throws(StorageError) { return try counted(counter) } catch {
      throw OperationError(operation: 0, reason: error)
    }
  }

  /// Counts the objects that match, as the file has them now.
  private func counted(_ counter: UsageCounter) throws(StorageError) -> Usage {
    let table = counter.place.table
    let type = statements.catalog.tables[table].objectType
    let plan = Plan(objectType: type.name, predicate: counter.condition, projection: .all(of: type))
    var usage = Usage()
    try keys.forEachKey(of: plan) { key throws(StorageError) in
      usage.objects += 1
      guard counter.countsBytes else { return }
      usage.bytes += try images.image(of: RowAddress(table: table, key: key)).count
    }
    return usage
  }

  private func add(_ usage: Usage, to counter: UsageCounter, _ operation: Int) {
    if counter.growth == Usage() { grown.append(counter) }
    counter.growth = counter.growth + usage
    if usage.objects > 0 { counter.operation = operation }
  }

  /// Returns the counters in which an object has a part; `draft`: all of it, where that is known.
  private func counters(of row: RowAddress, _ draft: ObjectDraft?) throws(StorageError) -> [UsageCounter] {
    var found: [UsageCounter] = []
    for property in properties[row.table] ?? [] {
      var value = Mixed.null
      if let property {
        if let given = draft?.value(of: property) {
          value = given
        } else {
          value = try self.value(of: property, in: row)
        }
      }
      let place = UsageCounter.Place(table: row.table, property: property, value: value)
      for counter in counters[place] ?? [] {
        var matches = counter.isExact
        if !matches { matches = try holds(counter.condition, for: row) }
        if matches { found.append(counter) }
      }
    }
    return found
  }

  private func value(of property: Int, in row: RowAddress) throws(StorageError) -> Mixed {
    let lookup = PropertyLookup(statements.session)
    let object = StoredObject(
      table: statements.catalog.tables[row.table], key: ObjectKey(row.key), lookup: lookup)
    let value = object.value(property)
    if let failure = lookup.failure { throw failure }
    return value
  }

  private func holds(_ condition: Predicate, for row: RowAddress) throws(StorageError) -> Bool {
    try statements.session.holds(condition, for: statements.catalog.tables[row.table], ObjectKey(row.key))
  }

  private func size(
    _ counters: [UsageCounter], _ measure: () throws(StorageError) -> Int
  ) throws(StorageError) -> Int {
    counters.contains(where: \.countsBytes) ? try measure() : 0
  }
}

extension UsageCounters.Limit {
  /// Returns what there would be too much of, and more than before; nil: nothing.
  fileprivate func excess(_ objectType: String) -> QuotaExcess? {
    let (before, after) = (counter.usage, counter.usage + counter.growth)
    func excess(_ measure: QuotaExcess.Measure, beyond allowed: Int?, _ count: (Usage) -> Int) -> QuotaExcess?
    {
      guard let allowed, count(after) > allowed, count(after) > count(before) else { return nil }
      return QuotaExcess(
        objectType: objectType, measure, used: quota.showsUsage ? count(before) : nil, allowed: allowed)
    }
    return excess(.objects, beyond: quota.objects, \.objects) ?? excess(.bytes, beyond: quota.bytes, \.bytes)
  }
}

extension ObjectDraft {
  /// Returns the plain value that the property of a complete draft has; nil: it has another one, or the file has to say.
  fileprivate func value(of property: Int) -> Mixed? {
    guard case .value(let value)? = assignments.first(where: { $0.property == property })?.value else {
      return nil
    }
    return value
  }
}
