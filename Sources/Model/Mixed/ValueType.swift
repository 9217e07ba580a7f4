/// The types of values: the one list of them, in the order of their ranks.
public enum ValueType: Int, CaseIterable, Hashable, Sendable {
  case null
  case bool
  case int
  case float
  case double
  case decimal128
  case string
  case data
  case date
  case objectID
  case uuid
  case link
  case list
  case dictionary

  /// The name in realm-js' notation, the rank, and the type of properties all of whose values have the type; nil where
  /// only mixed values have it, or where the property names a class as well.
  @inline(__always)
  private var row: (name: String, rank: Mixed.Rank, element: ElementType?) {
    switch self {
    case .null: ("null", .null, nil)
    case .bool: ("bool", .bool, .bool)
    case .int: ("int", .numeric, .int)
    case .float: ("float", .numeric, .float)
    case .double: ("double", .numeric, .double)
    case .decimal128: ("decimal128", .numeric, .decimal128)
    case .string: ("string", .string, .string)
    case .data: ("data", .data, .data)
    case .date: ("date", .date, .date)
    case .objectID: ("objectId", .objectID, .objectID)
    case .uuid: ("uuid", .uuid, .uuid)
    case .link: ("object", .link, nil)
    case .list: ("list", .list, nil)
    case .dictionary: ("dictionary", .dictionary, nil)
    }
  }

  /// The name in realm-js' notation.
  public var name: String { row.name }

  /// The place among the others.
  public var rank: Mixed.Rank { row.rank }

  /// The type of a property that holds only such values; nil for null, links and collections.
  public var elementType: ElementType? { row.element }
}

extension Mixed {
  /// The type of the value.
  public var type: ValueType {
    switch self {
    case .null: .null
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .decimal128: .decimal128
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectID: .objectID
    case .uuid: .uuid
    case .link: .link
    case .list: .list
    case .dictionary: .dictionary
    }
  }

  /// The type of a property that would hold just such values; nil: null, or a collection.
  public var elementType: ElementType? {
    if case .link(let link) = self { .object(link.objectType) } else { type.elementType }
  }
}

extension ElementType {
  /// The type of the values; nil for mixed, whose values have their own.
  public var valueType: ValueType? {
    switch self {
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .decimal128: .decimal128
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectID: .objectID
    case .uuid: .uuid
    case .object: .link
    case .mixed: nil
    }
  }
}
