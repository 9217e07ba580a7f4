extension Mixed {
  /// The type of the value; nil: null, or a collection.
  public var elementType: ElementType? {
    switch self {
    case .null, .list, .dictionary: nil
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
    case .link(let link): .object(link.objectType)
    }
  }
}
