public import BSON
import Model

/// A query as a client sends it: the text of the filter, and parameters beside it.
public struct QueryRequest: Hashable, Sendable {
  /// A part of the request, for errors.
  public enum Parameter: String, Hashable, Sendable {
    case filter
    case sort
    case distinct
    case limit
    case fields
    case expand
    case projection
    case aggregate
    case sectionBy
  }

  /// RQL, which may end in SORT, DISTINCT and LIMIT; nil: every object.
  public var filter: String?
  /// The values of `$0`, `$1` …
  public var arguments: [Value]
  /// `-population,name`: takes effect after the filter's own clauses.
  public var sort: String?
  /// `name,country.name`.
  public var distinct: String?
  /// At most so many objects altogether, after everything else.
  public var limit: Int?
  /// `name,country.name`; nil: every stored property.
  public var fields: String?
  /// `country,country.continent`: links that are shown as objects.
  public var expand: String?

  /// The name of a projection in the schema, in place of `fields` and `expand`.
  public var projection: String?

  public init(
    filter: String? = nil, arguments: [Value] = [], sort: String? = nil, distinct: String? = nil,
    limit: Int? = nil, fields: String? = nil, expand: String? = nil, projection: String? = nil
  ) {
    self.filter = filter
    self.arguments = arguments
    self.sort = sort
    self.distinct = distinct
    self.limit = limit
    self.fields = fields
    self.expand = expand
    self.projection = projection
  }

  /// By the bytes of texts: who asks for one spelling of a name is not answered with another one's plan.
  public static func == (left: Self, right: Self) -> Bool {
    left.filter.hasSameBytes(as: right.filter) && left.arguments == right.arguments
      && left.sort.hasSameBytes(as: right.sort) && left.distinct.hasSameBytes(as: right.distinct)
      && left.limit == right.limit && left.fields.hasSameBytes(as: right.fields)
      && left.expand.hasSameBytes(as: right.expand) && left.projection.hasSameBytes(as: right.projection)
  }
}
