import GatehouseModel

extension Mixed {
  /// Returns the value with another one, null or a link, in place of every link to an object.
  func replacing(_ link: ObjectLink, with other: Mixed) -> Mixed {
    switch self {
    case .link(link): other
    case .list(let values): .list(values.map { $0.replacing(link, with: other) })
    case .dictionary(let entries):
      .dictionary(entries.map { Entry(key: $0.key, value: $0.value.replacing(link, with: other)) })
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .link:
      self
    }
  }
}
