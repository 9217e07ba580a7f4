public import GatehouseBSON

extension ValueWriter {
  /// Appends a value whose type its reader knows: a link, whose spelling only the store knows, and a collection
  /// are null.
  @inlinable
  public mutating func scalar(_ value: Mixed) {
    switch value {
    case .null, .link, .list, .dictionary: null()
    case .bool(let value): bool(value)
    case .int(let value): int64(value)
    case .float(let value): float(value)
    case .double(let value): double(value)
    case .decimal128(let value): decimal128(value)
    case .string(let value): string(value)
    case .data(let value): data(value)
    case .date(let value): date(value)
    case .objectID(let value): objectID(value)
    case .uuid(let value): uuid(value)
    }
  }
}
