internal import GatehouseBSON

// Written out, because a string's own `==` takes canonically equivalent texts for equal, and a double's takes
// NaN for unequal to itself: neither would do for a primary key or a constant of a cached plan.
extension Mixed: Hashable {
  public static func == (left: Mixed, right: Mixed) -> Bool {
    // By one side at a time, so that a type that is left out does not compile.
    switch left {
    case .null: if case .null = right { true } else { false }
    case .bool(let left): if case .bool(let right) = right { left == right } else { false }
    case .int(let left): if case .int(let right) = right { left == right } else { false }
    case .float(let left):
      if case .float(let right) = right { left.bitPattern == right.bitPattern } else { false }
    case .double(let left):
      if case .double(let right) = right { left.bitPattern == right.bitPattern } else { false }
    case .decimal128(let left): if case .decimal128(let right) = right { left == right } else { false }
    case .string(let left): if case .string(let right) = right { left.hasSameBytes(as: right) } else { false }
    case .data(let left): if case .data(let right) = right { left == right } else { false }
    case .date(let left): if case .date(let right) = right { left == right } else { false }
    case .objectID(let left): if case .objectID(let right) = right { left == right } else { false }
    case .uuid(let left): if case .uuid(let right) = right { left == right } else { false }
    case .link(let left): if case .link(let right) = right { left == right } else { false }
    case .list(let left): if case .list(let right) = right { left == right } else { false }
    case .dictionary(let left): if case .dictionary(let right) = right { left == right } else { false }
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
    left.key.hasSameBytes(as: right.key) && left.value == right.value
  }
}
