internal import GatehouseBSON
public import GatehouseModel

/// The plans of requests that came more than once, for the schema seen last and what is hidden of it.
///
/// A request that came before has its plan. Of one that differs in its arguments, the text need not be parsed
/// again, nor, whatever its filter is, the parameters beside it: only the filter is bound.
public struct PlanCache {
  private struct Key {
    let objectType: String
    let request: QueryRequest
    let schema: Schema

    /// Whether the requests are about the same class, as somebody sees it.
    func isAbout(_ other: Key) -> Bool { objectType == other.objectType && schema == other.schema }
  }

  private let capacity: Int
  private var whole: Schema
  private var plans: ClockCache<Key, Plan>
  /// The syntax trees of filters that came with arguments; any other filter has its plan where it comes again.
  private var trees: ClockCache<String, SyntaxTree>
  /// The bound parameters of requests, whose filters are left aside.
  private var parameters: ClockCache<Key, BoundParameters>

  /// Keeps at most `capacity` plans.
  public init(schema: Schema = Schema([]), capacity: Int = 512) {
    whole = schema.whole
    self.capacity = capacity
    plans = ClockCache(capacity: capacity)
    trees = ClockCache(capacity: capacity)
    parameters = ClockCache(capacity: capacity)
  }

  /// Returns the plan of the request in that schema, made where it is not known.
  public mutating func plan(
    for request: QueryRequest, objectType: String, in schema: Schema
  ) throws(QueryError) -> Plan {
    // Copies of one schema share their storage, so that this costs nothing as long as it stays the same.
    if schema.whole != whole { self = PlanCache(schema: schema, capacity: capacity) }
    guard !request.isLarge else {
      return try Plan(request: request, schema: schema, objectType: objectType)
    }
    var hash = TextHash()
    hash.add(objectType)
    hash.add(schema.mask)
    request.hashParameters(into: &hash)
    let parametersHash = hash.value
    request.hashFilter(into: &hash)
    let key = Key(objectType: objectType, request: request, schema: schema)
    if let plan = plans.value(hash.value, where: { $0.request == request && $0.isAbout(key) }) {
      precondition(
        plan.objectType == objectType && plan.visibility == nil,
        "a plan that is kept is what a request asks for")
      return plan
    }
    let plan = try make(key, parametersHash: parametersHash)
    plans.add(plan, for: key, hash.value)
    return plan
  }

  private mutating func make(_ key: Key, parametersHash hash: UInt64) throws(QueryError) -> Plan {
    let request = key.request
    let tree: SyntaxTree? = if let filter = request.filter { try self.tree(of: filter, request) } else { nil }
    return try Plan.bound(request, tree, schema: key.schema, objectType: key.objectType) {
      binder, type throws(QueryError) in
      try parameters(of: key, hash: hash, by: binder, on: type)
    }
  }

  private mutating func tree(of filter: String, _ request: QueryRequest) throws(QueryError) -> SyntaxTree {
    if request.arguments.isEmpty { return try Parser.tree(of: filter) }
    var hash = TextHash()
    hash.add(filter)
    if let tree = trees.value(hash.value, where: { $0.compareBytes(filter) == 0 }) { return tree }
    let tree = try Parser.tree(of: filter)
    trees.add(tree, for: filter, hash.value)
    return tree
  }

  /// Returns the bound parameters of a request, which have that hash.
  private mutating func parameters(
    of key: Key, hash: UInt64, by binder: Binder, on type: ObjectType
  ) throws(QueryError) -> BoundParameters {
    let request = key.request
    if request.parametersTakeArguments { return try binder.parameters(of: request, on: type) }
    let known = parameters.value(hash) { $0.request.hasSameParameters(as: request) && $0.isAbout(key) }
    if let known {
      precondition(
        known.projection.objectType == type.name, "kept parameters are bound to the class of the request")
      return known
    }
    let bound = try binder.parameters(of: request, on: type)
    let kept = Key(objectType: key.objectType, request: request.withoutFilter, schema: key.schema)
    parameters.add(bound, for: kept, hash)
    return bound
  }
}

extension QueryRequest {
  /// Whether it is so large that its plan takes longer than an event loop should be busy with one request, and that
  /// many of them would be a burden to keep.
  public var isLarge: Bool { weight > 4096 }

  /// Its size, about, in bytes.
  fileprivate var weight: Int {
    arguments.reduce(0) { $0 + $1.weight } + filter.weight + sort.weight + distinct.weight
      + selection.fields.weight + selection.expand.weight + selection.projection.weight
  }
}
extension String? {
  fileprivate var weight: Int { self?.utf8.count ?? 0 }
}

extension Value {
  fileprivate var weight: Int {
    switch self {
    case .string(let text): 16 + text.utf8.count
    case .binary(let binary): 16 + binary.bytes.count
    case .array(let values): values.reduce(16) { $0 + $1.weight }
    case .document(let document): document.elements.reduce(16) { $0 + $1.key.utf8.count + $1.value.weight }
    default: 16
    }
  }
}
