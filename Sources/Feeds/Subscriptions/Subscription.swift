public import GatehouseBSON
public import GatehouseModel

/// A subscription as a request says it. Equal ones share the work.
public struct Subscription: Hashable, Sendable {
  /// Which objects are watched.
  public enum Scope: Hashable, Sendable {
    /// All objects, and the schema.
    case everything
    /// All objects of a class.
    case objectType(String)
    /// A single object.
    case object(String, id: Mixed)
    /// The value that a path leads to inside an object.
    case property(String, id: Mixed, [String])

    /// The class; nil: all.
    package var objectType: String? {
      switch self {
      case .everything: nil
      case .objectType(let name), .object(let name, _), .property(let name, _, _): name
      }
    }

    /// By the bytes of keys, as maps have them.
    public static func == (left: Scope, right: Scope) -> Bool {
      // By one side at a time, so that a scope that is left out does not compile.
      switch left {
      case .everything: if case .everything = right { true } else { false }
      case .objectType(let left): if case .objectType(let right) = right { left == right } else { false }
      case .object(let left, let leftID):
        if case .object(let right, let rightID) = right { left == right && leftID == rightID } else { false }
      case .property(let left, let leftID, let leftPath):
        if case .property(let right, let rightID, let rightPath) = right {
          left == right && leftID == rightID && leftPath.map(ExactText.init) == rightPath.map(ExactText.init)
        } else {
          false
        }
      }
    }
  }

  /// The order of results, and how many of them there are. In the words of a request.
  public struct Results: Hashable, Sendable {
    public var sort: String?
    public var distinct: String?
    public var limit: Int
    public var sectionBy: String?

    public init(sort: String? = nil, distinct: String? = nil, limit: Int, sectionBy: String? = nil) {
      self.sort = sort
      self.distinct = distinct
      self.limit = limit
      self.sectionBy = sectionBy
    }

    /// By the bytes of texts.
    public static func == (left: Self, right: Self) -> Bool {
      left.sort.hasSameBytes(as: right.sort) && left.distinct.hasSameBytes(as: right.distinct)
        && left.limit == right.limit && left.sectionBy.hasSameBytes(as: right.sectionBy)
    }
  }

  public var scope: Scope
  /// RQL without SORT, DISTINCT and LIMIT; nil: every object.
  public var filter: String?
  /// The values of `$0`, `$1` … in the filter.
  public var arguments: [Value]
  /// The link that the objects have, beside what the filter says of them; nil: none is asked for.
  public var link: Link?
  /// The rules for what may be seen of each class; nil: everything may.
  public var rules: SubscriptionRules?
  /// The properties that events show; nil: every stored one.
  public var fields: String?
  /// The links that are shown as objects.
  public var expand: String?
  /// Whether updates tell the changed values, as they were and as they are.
  public var showsValues = false
  /// Which changes count as updates: `name,country.name`; nil: as Realm has it; empty: none.
  public var keyPaths: String?
  /// Whether the delivery target is told which objects it is given: somebody records who sees what.
  public var recordsReads = false
  /// Nil: events tell of objects; otherwise of places in the results of a query.
  public var results: Results?

  /// Whether it can be told what has happened. Under rules a place shows what a read shows: by the indices of what could be
  /// seen in the past nobody could follow what may be seen of it now.
  var hasPast: Bool {
    if case .property = scope { rules == nil } else { results == nil }
  }

  public init(_ scope: Scope, filter: String? = nil, arguments: [Value] = []) {
    self.scope = scope
    self.filter = filter
    self.arguments = arguments
  }

  /// The object that a property of the class links to.
  public struct Link: Hashable, Sendable {
    public let property: String
    public let objectType: String
    public let id: Mixed

    public init(by property: String, to objectType: String, id: Mixed) {
      self.property = property
      self.objectType = objectType
      self.id = id
    }

    /// By the bytes of the names.
    public static func == (left: Self, right: Self) -> Bool {
      left.property.compareBytes(right.property) == 0 && left.objectType.compareBytes(right.objectType) == 0
        && left.id == right.id
    }
  }

  /// By the bytes of texts: who asks for one spelling of a name does not share what another one's asker is told.
  public static func == (left: Self, right: Self) -> Bool {
    left.scope == right.scope && left.filter.hasSameBytes(as: right.filter)
      && left.arguments == right.arguments
      && left.link == right.link && left.rules == right.rules
      && left.fields.hasSameBytes(as: right.fields) && left.expand.hasSameBytes(as: right.expand)
      && left.showsValues == right.showsValues && left.keyPaths.hasSameBytes(as: right.keyPaths)
      && left.recordsReads == right.recordsReads
      && left.results == right.results
  }
}
