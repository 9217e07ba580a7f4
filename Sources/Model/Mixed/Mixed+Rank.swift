extension Mixed {
  /// The places of the types among each other (C:mixed.cpp, `sorting_rank`).
  public enum Rank: Int, Hashable, Sendable {
    case null, bool, numeric, string, data, date, objectID, uuid, link, list, dictionary
  }

  /// The place of the value's type among the others.
  public var rank: Rank {
    switch self {
    case .null: .null
    case .bool: .bool
    case .int, .float, .double, .decimal128: .numeric
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
}

extension ElementType {
  /// The rank of the type's values; nil for mixed, whose values have their own.
  var rank: Mixed.Rank? {
    switch self {
    case .bool: .bool
    case .int, .float, .double, .decimal128: .numeric
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
