internal import GatehouseBSON
public import GatehouseModel

/// The plans of requests that came more than once, for the schema seen last.
///
/// A request that came before has its plan. Of one that differs in its arguments, the text need not be parsed
/// again, nor, whatever its filter is, the parameters beside it: only the filter is bound.
public struct PlanCache {
  private struct Key {
    let objectType: String
    let request: QueryRequest
  }

  private let capacity: Int
  private var schema: Schema
  private var plans: ClockCache<Key, Plan>
  /// The syntax trees of filters that came with arguments; any other filter has its plan where it comes again.
  private var trees: ClockCache<String, SyntaxTree>
  /// The bound parameters of requests, whose filters are left aside.
  private var parameters: ClockCache<Key, BoundParameters>

  /// Keeps at most `capacity` plans.
  public init(schema: Schema = Schema([]), capacity: Int = 512) {
    self.schema = schema
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
    if schema != self.schema { self = PlanCache(schema: schema, capacity: capacity) }
    guard !request.isLarge else {
      return try Plan(request: request, schema: schema, objectType: objectType)
    }
    var hash = TextHash()
    hash.add(objectType)
    request.hashParameters(into: &hash)
    let parametersHash = hash.value
    request.hashFilter(into: &hash)
    if let plan = plans.value(hash.value, where: { $0.request == request && $0.objectType == objectType }) {
      return plan
    }
    let plan = try make(request, objectType: objectType, parametersHash: parametersHash)
    plans.add(plan, for: Key(objectType: objectType, request: request), hash.value)
    return plan
  }

  private mutating func make(
    _ request: QueryRequest, objectType: String, parametersHash hash: UInt64
  ) throws(QueryError) -> Plan {
    let tree: SyntaxTree? = if let filter = request.filter { try self.tree(of: filter, request) } else { nil }
    return try Plan.bound(request, tree, schema: schema, objectType: objectType) {
      binder, type throws(QueryError) in
      try parameters(of: request, hash: hash, by: binder, on: type)
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
    of request: QueryRequest, hash: UInt64, by binder: Binder, on type: ObjectType
  ) throws(QueryError) -> BoundParameters {
    if request.parametersTakeArguments { return try binder.parameters(of: request, on: type) }
    let known = parameters.value(hash) {
      $0.request.hasSameParameters(as: request) && $0.objectType == type.name
    }
    if let known { return known }
    let bound = try binder.parameters(of: request, on: type)
    parameters.add(bound, for: Key(objectType: type.name, request: request.withoutFilter), hash)
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
