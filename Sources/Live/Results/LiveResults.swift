public import GatehouseModel
public import GatehouseQuery
public import GatehouseStorage
import Synchronization

/// The objects, or values, that a query leaves of a class, or of a collection, in the state that a live Realm is in. Evaluated when
/// it is asked, once in each state.
public final class LiveResults: @unchecked Sendable {
  // Because it is used where its Realm is; that of a frozen one is evaluated under the lock.

  public enum Source: Hashable, Sendable {
    /// All objects of a class.
    case objectType(String)
    /// The collection that a property of an object is.
    case property(Int, of: RowAddress)
    /// The list or dictionary that a mixed value is, or holds.
    case mixed(MixedPlace)
    /// The elements that there were at some time.
    case elements([Mixed])
  }

  /// A step of the query, in the order in which they were asked for.
  public enum Step: Hashable, Sendable {
    case filter(Predicate)
    case sort([SortKey])
    case distinct([KeyPath])
    case sortValues(ascending: Bool)
    case distinctValues
  }

  public let realm: LiveRealm
  public let source: Source
  public let steps: [Step]
  /// The class of the objects; nil: these are values.
  public let objectType: String?
  private var elements: [Mixed] = []
  /// The state that ``elements`` are of; 0: none.
  private var state: UInt64 = 0
  /// The state in which elements were read one by one, and how many.
  private var readState: UInt64 = 0
  private var reads = 0
  private let lock = Mutex(())
  /// The number that ``beginsObservation(since:)`` was asked last for.
  private let observed = Atomic<UInt64>(0)

  public init(_ source: Source, of objectType: String?, in realm: LiveRealm, _ steps: [Step] = []) {
    self.source = source
    self.objectType = objectType
    self.realm = realm
    self.steps = steps
  }

  /// Returns what a further step leaves.
  public func adding(_ step: Step) -> LiveResults {
    LiveResults(source, of: objectType, in: realm, steps + [step])
  }

  /// Returns the same query in another Realm of the same store.
  public func `in`(_ realm: LiveRealm) -> LiveResults {
    LiveResults(source, of: objectType, in: realm, steps)
  }

  /// The elements in their order.
  public var all: [Mixed] {
    if realm.isFrozen { return lock.withLock { _ in evaluatedOnce() } }
    return evaluatedOnce()
  }

  private func evaluatedOnce() -> [Mixed] {
    if isEvaluated { return elements }
    elements = evaluated()
    state = realm.state
    return elements
  }

  public var count: Int {
    if !isEvaluated {
      if case .property(let property, let row) = source, steps.isEmpty {
        return realm.read { reader throws(StorageError) in try reader.count(property, of: row) }
      }
      if case .mixed(let place) = source, steps.isEmpty { return realm.value(at: place)?.parts.count ?? 0 }
      if case .objectType(let name) = source, let plan = plan(name) {
        return realm.read { reader throws(StorageError) in try reader.count(plan) }
      }
    }
    return all.count
  }

  /// Returns the element at an index; nil where there is none. Of a list, it is read alone where the others are not known.
  public func element(at index: Int) -> Mixed? {
    if !isEvaluated, index >= 0, steps.isEmpty, case .property(let property, let row) = source,
      case .list = realm.schema.objectTypes[row.table].properties[property].type
    {
      // Who asks for many of them in one state is better off with all.
      if readState != realm.state { (readState, reads) = (realm.state, 0) }
      reads += 1
      if reads <= LiveResults.fewReads {
        return realm.read { reader throws(StorageError) in
          try reader.element(at: .index(index), in: property, of: row)
        }
      }
    }
    let all = all
    return all.indices.contains(index) ? all[index] : nil
  }

  /// How many elements are read one by one in a state before all are.
  private static let fewReads = 4

  /// Whether ``elements`` are those of the state that the Realm is in.
  private var isEvaluated: Bool {
    if state == realm.state { return true }
    guard steps.isEmpty, state != 0, case .property(let property, let row) = source else { return false }
    // Changes of other objects change which ones link to this one, but no other collection of it.
    if case .linkingObjects = realm.schema.objectTypes[row.table].properties[property].type { return false }
    return realm.isUnchanged(row, since: state)
  }

  /// Whether nobody has asked this in the state that the Realm is in, and since a number of ``Coordinator/nextState()``.
  public func beginsObservation(since begin: UInt64) -> Bool {
    let mark = max(realm.state, begin)
    return observed.exchange(mark, ordering: .relaxed) != mark
  }

  /// Whether the object is there that has the collection.
  public var isValid: Bool {
    switch source {
    case .property(_, let row): realm.read { reader throws(StorageError) in try reader.exists(row) }
    case .mixed(let place): realm.value(at: place)?.isCollection ?? false
    case .objectType, .elements: true
    }
  }

  private func evaluated() -> [Mixed] {
    switch source {
    case .objectType(let name):
      guard let plan = plan(name) else { return [] }
      return links(realm.read { reader throws(StorageError) in try reader.keys(of: plan) }, to: name)
    case .property(let property, let row):
      let elements = realm.read { reader throws(StorageError) in try reader.elements(property, of: row) }
      return selected(of: elements)
    case .mixed(let place): return selected(of: realm.value(at: place)?.parts ?? [])
    case .elements(let elements): return selected(of: elements)
    }
  }

  private func selected(of elements: [Mixed]) -> [Mixed] {
    if steps.isEmpty { return elements }
    guard let objectType, let plan = plan(objectType) else { return selectedValues(of: elements) }
    let keys = elements.compactMap { element in
      if case .link(let link) = element { link.key.value } else { nil }
    }
    return links(
      realm.read { reader throws(StorageError) in try reader.keys(of: plan, among: keys) }, to: objectType)
  }

  /// Sorts values by themselves, and takes each once.
  private func selectedValues(of elements: [Mixed]) -> [Mixed] {
    var elements = elements
    for step in steps {
      switch step {
      case .sortValues(let ascending):
        let order = elements.indices.sorted { left, right in
          let order = MixedOrder.sortOrder(elements[left], elements[right])
          return order == 0 ? left < right : (order < 0) == ascending
        }
        elements = order.map { elements[$0] }
      case .distinctValues:
        var seen: Set<Mixed> = []
        elements = elements.filter { seen.insert($0).inserted }
      case .filter, .sort, .distinct: break
      }
    }
    return elements
  }

  private func links(_ keys: [Int64], to objectType: String) -> [Mixed] {
    keys.map { .link(ObjectLink(objectType: objectType, key: ObjectKey($0))) }
  }

  /// Whether an object's own values say whether it belongs to the objects, and where.
  var dependsOnOwnValues: Bool { objectType.flatMap { plan($0) }?.isOfOneClass == true }

  /// The query as the store answers it; nil: the class is not in the schema.
  private func plan(_ objectType: String) -> Plan? {
    guard let type = realm.schema[objectType] else { return nil }
    var predicates: [Predicate] = []
    var clauses: [Plan.Clause] = []
    for step in steps {
      switch step {
      case .filter(let predicate): predicates.append(predicate)
      case .sort(let keys):
        // The keys of a later sort come first (C:sort_descriptor.hpp, `MergeMode::prepend`).
        if case .sort(let earlier)? = clauses.last {
          clauses[clauses.count - 1] = .sort(keys + earlier)
        } else {
          clauses.append(.sort(keys))
        }
      case .distinct(let paths): clauses.append(.distinct(paths))
      case .sortValues, .distinctValues: break
      }
    }
    return Plan(
      objectType: objectType, predicate: predicates.count == 1 ? predicates[0] : .all(predicates),
      clauses: clauses, projection: .all(of: type))
  }
}
