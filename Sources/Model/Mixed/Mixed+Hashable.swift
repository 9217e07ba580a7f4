// Written out, because a string's own `==` takes canonically equivalent texts for equal, and a double's takes
// NaN for unequal to itself: neither would do for a primary key or a constant of a cached plan.
extension Mixed: Hashable {
  public static func == (left: Mixed, right: Mixed) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.decimal128(let left), .decimal128(let right)): left == right
    case (.string(let left), .string(let right)): left.compareBytes(right) == 0
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.objectID(let left), .objectID(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.link(let left), .link(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .null: break
    case .bool(let bool): hasher.combine(bool)
    case .int(let int): hasher.combine(int)
    case .float(let float): hasher.combine(float.bitPattern)
    case .double(let double): hasher.combine(double.bitPattern)
    case .decimal128(let decimal): hasher.combine(decimal)
    // Equivalent texts hash alike: rare, and no harm.
    case .string(let string): hasher.combine(string)
    case .data(let data): hasher.combine(data)
    case .date(let date): hasher.combine(date)
    case .objectID(let id): hasher.combine(id)
    case .uuid(let uuid): hasher.combine(uuid)
    case .link(let link): hasher.combine(link)
    case .list(let list): hasher.combine(list)
    case .dictionary(let entries): hasher.combine(entries)
    }
  }
}

extension Mixed.Entry {
  public static func == (left: Self, right: Self) -> Bool {
    left.key.compareBytes(right.key) == 0 && left.value == right.value
  }
}
