internal import BSON
public import Model

/// The plans of the requests seen last, for the schema seen last.
///
/// A request that came before has its plan. Of one that differs in its arguments, the text need not be parsed
/// again, nor what it shows be looked up: only the filter is bound to the arguments, whose types it takes.
public struct PlanCache {
  private struct Key: Hashable {
    let objectType: String
    let request: QueryRequest
  }

  /// What decides on a projection.
  private struct Shape: Hashable {
    let objectType: String
    let fields: ExactText?
    let expand: ExactText?
    let projection: ExactText?
  }

  /// Bytes of a request that is worth keeping: larger ones are rare, and many of them would be a burden.
  private static let largestRequest = 4096

  private let capacity: Int
  private var schema: Schema
  private var plans: GenerationalCache<Key, Plan>
  private var trees: GenerationalCache<ExactText, SyntaxTree>
  private var projections: GenerationalCache<Shape, Projection>

  /// Keeps at most `capacity` plans.
  public init(schema: Schema = Schema([]), capacity: Int = 512) {
    self.schema = schema
    self.capacity = capacity
    plans = GenerationalCache(budget: capacity)
    trees = GenerationalCache(budget: capacity)
    projections = GenerationalCache(budget: capacity)
  }

  /// The plan of the request in that schema, made where it is not known.
  public mutating func plan(
    for request: QueryRequest, objectType: String, in schema: Schema
  ) throws(QueryError) -> Plan {
    // Copies of one schema share their storage, so that this costs nothing as long as it stays the same.
    if schema != self.schema { self = PlanCache(schema: schema, capacity: capacity) }
    guard request.weight <= Self.largestRequest else {
      return try Plan(request: request, schema: schema, objectType: objectType)
    }
    let key = Key(objectType: objectType, request: request)
    if let plan = plans[key] { return plan }
    let plan = try make(request, objectType)
    plans.add(plan, for: key, cost: 1)
    return plan
  }

  private mutating func make(_ request: QueryRequest, _ objectType: String) throws(QueryError) -> Plan {
    var tree: SyntaxTree?
    if let filter = request.filter {
      let text = ExactText(filter)
      tree = trees[text]
      if tree == nil {
        let parsed = try Parser.tree(of: filter)
        tree = parsed
        trees.add(parsed, for: text, cost: 1)
      }
    }
    let shape = Shape(
      objectType: objectType, fields: request.fields.map(ExactText.init),
      expand: request.expand.map(ExactText.init),
      projection: request.projection.map(ExactText.init))
    let known = projections[shape]
    let plan = try Plan.bound(
      request, tree, projection: known, schema: schema, objectType: objectType)
    if known == nil { projections.add(plan.projection, for: shape, cost: 1) }
    return plan
  }
}

extension QueryRequest {
  /// About how many bytes it has.
  fileprivate var weight: Int {
    var weight = arguments.reduce(0) { $0 + $1.weight }
    for text in [filter, sort, distinct, fields, expand, projection] { weight += text?.utf8.count ?? 0 }
    return weight
  }
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
