extension Mixed {
  /// Where a type stands among the others (C:mixed.cpp, `sorting_rank`).
  public enum Rank: Int, Hashable, Sendable {
    case null, bool, numeric, string, data, date, objectID, uuid, link, list, dictionary
  }

  /// Where the value's type stands among the others.
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
