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

  /// Binds a step to a schema; nil: it has no meaning there.
  public typealias Binder = @Sendable (Schema) -> Step?

  /// The query, in the positions of a schema.
  private struct Bound {
    var source: Source
    var steps: [Step]
    /// Bind the steps to other schemas; nil: those without positions.
    var binders: [Binder?]
    var schema: Schema
    /// The generation of the schema.
    var generation: Int64
    /// Whether the schema has no more what the query asks for: nothing is found.
    var isLost = false

    /// Returns the query in the positions of another schema.
    func following(_ schema: Schema, _ generation: Int64) -> Bound {
      var bound = self
      (bound.schema, bound.generation) = (schema, generation)
      guard let source = SchemaPositions(from: self.schema, to: schema).source(source) else {
        bound.isLost = true
        return bound
      }
      bound.source = source
      for (index, binder) in binders.enumerated() {
        guard let binder else { continue }
        guard let step = binder(schema) else {
          bound.isLost = true
          return bound
        }
        bound.steps[index] = step
      }
      return bound
    }
  }

  public let realm: LiveRealm
  /// The class of the objects; nil: these are values.
  public let objectType: String?
  private var bound: Bound
  private var elements: [Mixed] = []
  /// The state that ``elements`` are of; 0: none.
  private var state: UInt64 = 0
  /// The state in which elements were read one by one, and how many.
  private var readState: UInt64 = 0
  private var reads = 0
  private let lock = Mutex(())
  /// The number that ``beginsObservation(since:)`` was asked last for.
  private let observed = Atomic<UInt64>(0)

  public convenience init(_ source: Source, of objectType: String?, in realm: LiveRealm) {
    let schema = realm.schema
    self.init(
      Bound(source: source, steps: [], binders: [], schema: schema, generation: realm.knownGeneration),
      of: objectType, in: realm)
  }

  private init(_ bound: Bound, of objectType: String?, in realm: LiveRealm) {
    precondition(
      bound.steps.count == bound.binders.count, "each step of a query is bound by one binder, or by none")
    self.bound = bound
    self.objectType = objectType
    self.realm = realm
  }

  public var source: Source {
    follow()
    return bound.source
  }

  public var steps: [Step] {
    follow()
    return bound.steps
  }

  /// Returns what a further step leaves.
  ///
  /// - Parameter binder: Binds the step to another schema; nil: it is the same in all.
  public func adding(_ step: Step, bindingBy binder: Binder? = nil) -> LiveResults {
    follow()
    var bound = bound
    bound.steps.append(step)
    bound.binders.append(binder)
    return LiveResults(bound, of: objectType, in: realm)
  }

  /// Returns the same query in another Realm of the same store. To be called by any thread.
  public func `in`(_ realm: LiveRealm) -> LiveResults {
    var bound = lock.withLock { _ in self.bound }
    let schema = realm.schema
    if bound.generation != realm.knownGeneration { bound = bound.following(schema, realm.knownGeneration) }
    return LiveResults(bound, of: objectType, in: realm)
  }

  /// Binds the query to the schema of the state that the Realm is in.
  @inline(__always)
  private func follow() {
    if bound.generation != realm.knownGeneration, !realm.isFrozen { bindAnew() }
  }

  private func bindAnew() {
    let following = bound.following(realm.schema, realm.knownGeneration)
    // Others than the Realm's own thread may be taking it elsewhere.
    lock.withLock { _ in bound = following }
    state = 0
  }

  /// The elements in their order.
  public var all: [Mixed] {
    if realm.isFrozen { return lock.withLock { _ in evaluatedOnce() } }
    return evaluatedOnce()
  }

  private func evaluatedOnce() -> [Mixed] {
    follow()
    if isEvaluated { return elements }
    elements = evaluated()
    state = realm.state
    return elements
  }

  public var count: Int {
    follow()
    if !isEvaluated, !bound.isLost {
      if case .property(let property, let row) = bound.source, bound.steps.isEmpty {
        return realm.read { reader throws(StorageError) in try reader.count(property, of: row) }
      }
      if case .mixed(let place) = bound.source, bound.steps.isEmpty {
        return realm.value(at: place)?.parts.count ?? 0
      }
      if case .objectType(let name) = bound.source, let plan = plan(name) {
        return realm.read { reader throws(StorageError) in try reader.count(plan) }
      }
    }
    return all.count
  }

  /// Returns the element at an index; nil where there is none. Of a list, it is read alone where the others are not known.
  public func element(at index: Int) -> Mixed? {
    follow()
    if !isEvaluated, !bound.isLost, index >= 0, bound.steps.isEmpty,
      case .property(let property, let row) = bound.source,
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
    guard bound.steps.isEmpty, state != 0, case .property(let property, let row) = bound.source else {
      return false
    }
    // Changes of other objects change which ones link to this one, but no other collection of it.
    if case .linkingObjects = realm.schema.objectTypes[row.table].properties[property].type { return false }
    return realm.isUnchanged(row, since: state)
  }

  /// Whether nobody has asked this in the state that the Realm is in, and since a number of ``Coordinator/nextState()``.
  public func beginsObservation(since begin: UInt64) -> Bool {
    let mark = max(realm.state, begin)
    return observed.exchange(mark, ordering: .relaxed) != mark
  }

  /// Whether what is asked for is there: the object that has the collection, and the properties that conditions name.
  public var isValid: Bool {
    follow()
    if bound.isLost { return false }
    return switch bound.source {
    case .property(_, let row): realm.read { reader throws(StorageError) in try reader.exists(row) }
    case .mixed(let place): realm.value(at: place)?.isCollection ?? false
    case .objectType, .elements: true
    }
  }

  private func evaluated() -> [Mixed] {
    if bound.isLost { return [] }
    precondition(
      bound.generation == realm.knownGeneration, "a query is bound to the schema of the state that it is of")
    switch bound.source {
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
    if bound.steps.isEmpty { return elements }
    guard let objectType, let plan = plan(objectType) else { return selectedValues(of: elements) }
    let keys = elements.compactMap { element in
      if case .link(let link) = element { link.key.value } else { nil }
    }
    let found = realm.read { reader throws(StorageError) in try reader.keys(of: plan, among: keys) }
    precondition(found.count <= keys.count, "a query leaves no more than there was")
    return links(found, to: objectType)
  }

  /// Sorts values by themselves, and takes each once.
  private func selectedValues(of elements: [Mixed]) -> [Mixed] {
    var elements = elements
    for step in bound.steps {
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
  var dependsOnOwnValues: Bool {
    follow()
    return !bound.isLost && objectType.flatMap { plan($0) }?.isOfOneClass == true
  }

  /// The query as the store answers it; nil: the class is not in the schema.
  private func plan(_ objectType: String) -> Plan? {
    guard let type = realm.schema[objectType] else { return nil }
    var predicates: [Predicate] = []
    var clauses: [Plan.Clause] = []
    for step in bound.steps {
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
