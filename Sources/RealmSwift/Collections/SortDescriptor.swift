/// A key path that collections are sorted by.
public struct SortDescriptor {
  /// The names of properties along the path.
  public let keyPath: String
  /// Whether the least comes first.
  public let ascending: Bool

  /// Sorts by the values at the end of a path.
  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }

  /// Sorts by the values at the end of a path.
  public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
    self.init(keyPath: _name(for: keyPath), ascending: ascending)
  }

  /// The other way round.
  public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }
}

extension SortDescriptor: CustomStringConvertible {
  public var description: String {
    "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
  }
}

extension SortDescriptor: Equatable {}

extension SortDescriptor: ExpressibleByStringLiteral {
  public typealias UnicodeScalarLiteralType = StringLiteralType
  public typealias ExtendedGraphemeClusterLiteralType = StringLiteralType

  public init(stringLiteral value: StringLiteralType) { self.init(keyPath: value) }
}
