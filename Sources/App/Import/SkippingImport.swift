import GatehouseAudit
import GatehouseModel
import GatehouseStorage

/// An import that goes on without the objects that are refused, in transactions of some objects each.
///
/// An object that links to one which is not there yet waits for it until the end of the file. Where the store refuses an
/// object of a transaction, those before it and those behind it are tried again.
final class SkippingImport {
  private typealias Item = ImportSource.Item

  /// The class and the identifier of an object.
  private struct Target: Hashable {
    let objectType: String
    let identifier: Mixed
  }

  private let source: ImportSource
  private let store: Store
  private let reader: Reader
  private let record: WriteRecord?
  private let rejected: RejectedObjects
  private var waiting: [Item] = []
  private(set) var count = 0

  init(
    _ source: ImportSource, into store: Store, _ record: WriteRecord?, rejected: RejectedObjects
  ) throws {
    self.source = source
    self.store = store
    self.record = record
    self.rejected = rejected
    reader = try store.makeReader()
  }

  func run(batch: Int) async throws {
    while let piece = try source.piece(batch) {
      for refused in piece.refused { try rejected.add(refused) }
      try await perform(withoutWaiting(try withoutTaken(piece.items)))
    }
    while !waiting.isEmpty {
      let items = waiting
      waiting = []
      let (kept, missing) = try split(items)
      for (item, target) in missing {
        try reject(
          item, .linkTargetNotFound(objectType: target.objectType, primaryKey: target.identifier))
      }
      try await perform(kept)
      precondition(
        waiting.count < items.count, "\(waiting.count) of \(items.count) objects wait for each other for ever"
      )
    }
  }

  /// Commits the objects, but for those that the store refuses.
  private func perform(_ items: [Item]) async throws {
    var rest = items
    while !rest.isEmpty {
      do {
        try await store.perform(rest.map { source.operation($0.draft) }, record)
        count += rest.count
        return
      } catch let error as OperationError where error.reason.isAboutObject {
        guard rest.indices.contains(error.operation) else { throw error }
        try reject(rest[error.operation], error.reason)
        try await perform(withoutWaiting(Array(rest[..<error.operation])))
        rest = try withoutWaiting(Array(rest[(error.operation + 1)...]))
      }
    }
  }

  private func reject(_ item: Item, _ error: StorageError) throws {
    let reason = source.reason(error, of: item.draft)
    try rejected.add(ImportSource.Refused(number: item.number, record: item.record, reason: reason))
  }

  /// Rejects the objects that are there already, where that is an error: the store need not refuse one after the other.
  private func withoutTaken(_ items: [Item]) throws -> [Item] {
    guard source.options.policy == .error else { return items }
    return try items.filter { item in
      guard let target = target(of: item), try exists(target) else { return true }
      try reject(item, .objectExists(objectType: target.objectType, id: target.identifier))
      return false
    }
  }

  /// Has the objects wait that link to what is not there.
  private func withoutWaiting(_ items: [Item]) throws -> [Item] {
    let (kept, missing) = try split(items)
    waiting += missing.map(\.item)
    return kept
  }

  /// Splits off the objects that link to what is neither in the store nor among those that are kept.
  private func split(_ items: [Item]) throws -> (kept: [Item], missing: [(item: Item, target: Target)]) {
    var places: [Target: Int] = [:]
    for (index, item) in items.enumerated() { if let target = target(of: item) { places[target] = index } }
    var dependents: [Int: [Int]] = [:]
    var missing: [Int: Target] = [:]
    var queue: [(index: Int, target: Target)] = []
    for (index, item) in items.enumerated() {
      for target in item.draft.linkTargets(Target.init) where try !exists(target) {
        if let place = places[target] {
          dependents[place, default: []].append(index)
        } else {
          queue.append((index, target))
        }
      }
    }
    while let (index, target) = queue.popLast() {
      guard missing.updateValue(target, forKey: index) == nil, let own = self.target(of: items[index]) else {
        continue
      }
      queue += (dependents[index] ?? []).map { ($0, own) }
    }
    if missing.isEmpty { return (items, []) }
    let kept = items.indices.filter { missing[$0] == nil }.map { items[$0] }
    precondition(
      kept.count + missing.count == items.count,
      "of \(items.count) objects \(kept.count) are kept and \(missing.count) are not")
    return (kept, items.indices.compactMap { index in missing[index].map { (items[index], $0) } })
  }

  private func target(of item: Item) -> Target? {
    item.draft.identifier(of: source.objectType).map {
      Target(objectType: source.objectType.name, identifier: $0)
    }
  }

  private func exists(_ target: Target) throws -> Bool {
    try reader.version(target.objectType, id: target.identifier) != nil
  }
}

extension StorageError {
  /// Whether another object may well be accepted.
  fileprivate var isAboutObject: Bool {
    switch self {
    case .objectExists, .notUnique, .linkTargetNotFound, .objectTooLarge, .keyOutOfRange, .invalid,
      .primaryKeyChanged,
      .notPermitted:
      true
    default: false
    }
  }
}

extension ObjectDraft {
  /// Returns what identifies the object; nil: the store gives it a key.
  fileprivate func identifier(of objectType: ObjectType) -> Mixed? {
    guard let index = objectType.primaryKeyIndex else { return key.map { .int($0.value) } }
    guard case .value(let value)? = assignments.first(where: { $0.property == index })?.value else {
      return nil
    }
    return value
  }

  /// Returns what the links in the object lead to.
  fileprivate func linkTargets<Target>(_ make: (String, Mixed) -> Target) -> [Target] {
    assignments.flatMap { $0.value.linkTargets(make) }
  }
}

extension DraftValue {
  fileprivate func linkTargets<Target>(_ make: (String, Mixed) -> Target) -> [Target] {
    switch self {
    case .value: []
    case .link(let objectType, let primaryKey): [make(objectType, primaryKey)]
    case .embedded(let draft): draft.linkTargets(make)
    case .list(let values): values.flatMap { $0.linkTargets(make) }
    case .map(let entries): entries.flatMap { $0.value.linkTargets(make) }
    }
  }
}
