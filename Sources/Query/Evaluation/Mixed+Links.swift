package import GatehouseModel

extension Mixed {
  /// How many links to that object there are in the value.
  package func count(of link: ObjectLink) -> Int {
    switch self {
    case .link(let other): other == link ? 1 : 0
    case .list(let elements): elements.reduce(0) { $0 + $1.count(of: link) }
    case .dictionary(let entries): entries.reduce(0) { $0 + $1.value.count(of: link) }
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: 0
    }
  }
}
