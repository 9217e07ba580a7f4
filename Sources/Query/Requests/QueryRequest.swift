public import GatehouseBSON
import GatehouseModel

/// A query as a client sends it: the text of the filter, and parameters beside it.
public struct QueryRequest: Hashable, Sendable {
  /// RQL, which may end in SORT, DISTINCT and LIMIT; nil: every object.
  public var filter: String?
  /// The values of `$0`, `$1` …
  public var arguments: [Value]
  /// `-population,name`: takes effect after the filter's own clauses.
  public var sort: String?
  /// `name,country.name`.
  public var distinct: String?
  /// The most objects altogether, after everything else.
  public var limit: Int?
  public var selection: FieldSelection

  public init(
    filter: String? = nil, arguments: [Value] = [], sort: String? = nil, distinct: String? = nil,
    limit: Int? = nil, selection: FieldSelection = FieldSelection()
  ) {
    self.filter = filter
    self.arguments = arguments
    self.sort = sort
    self.distinct = distinct
    self.limit = limit
    self.selection = selection
  }

  /// By the bytes of texts: who asks for one spelling of a name is not answered with another one's plan.
  public static func == (left: Self, right: Self) -> Bool {
    left.filter.hasSameBytes(as: right.filter) && left.arguments == right.arguments
      && left.hasSameParameters(as: right)
  }
}

/// The filter and its arguments, and the parameters beside them.
extension QueryRequest {
  /// Whether all is the same but for the filter and its arguments.
  func hasSameParameters(as other: QueryRequest) -> Bool {
    limit == other.limit && sort.hasSameBytes(as: other.sort) && distinct.hasSameBytes(as: other.distinct)
      && selection == other.selection
  }

  func hashParameters(into hash: inout TextHash) {
    hash.add(sort)
    hash.add(distinct)
    hash.add(limit ?? -1)
    selection.hash(into: &hash)
  }

  func hashFilter(into hash: inout TextHash) {
    hash.add(filter)
    if !arguments.isEmpty { hash.add(arguments.hashValue) }
  }

  var withoutFilter: QueryRequest {
    var request = self
    request.filter = nil
    request.arguments = []
    return request
  }

  /// Whether a path among the parameters may take an argument for a name or an index.
  var parametersTakeArguments: Bool {
    !arguments.isEmpty && (sort.hasDollar || distinct.hasDollar)
  }
}

extension String? {
  fileprivate var hasDollar: Bool { self?.utf8.contains(UInt8(ascii: "$")) ?? false }
}
