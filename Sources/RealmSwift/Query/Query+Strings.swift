/// Strings.
extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
  /// Whether the text has the pattern, in which `*` is any run and `?` one character.
  public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
    Query<Bool>(.comparison(.like, node, .value(value), options: caseInsensitive ? .caseInsensitive : []))
  }

  /// Whether the text has the pattern that another property holds.
  public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
    Query<Bool>(.comparison(.like, node, column.node, options: caseInsensitive ? .caseInsensitive : []))
  }
}

/// Strings and data.
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
  /// Whether the value contains the one given.
  public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.contains, node, .value(value), options: options))
  }

  /// Whether the value contains that of another property.
  public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
  where U: _Persistable, U.PersistedType: _QueryBinary {
    Query<Bool>(.comparison(.contains, node, column.node, options: options))
  }

  /// Whether the value begins with the one given.
  public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.beginsWith, node, .value(value), options: options))
  }

  /// Whether the value begins with that of another property.
  public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.beginsWith, node, column.node, options: options))
  }

  /// Whether the value ends with the one given.
  public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.endsWith, node, .value(value), options: options))
  }

  /// Whether the value ends with that of another property.
  public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.endsWith, node, column.node, options: options))
  }

  /// Whether the value is the one given.
  public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.equal, node, .value(value), options: options))
  }

  /// Whether the value is that of another property.
  public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.equal, node, column.node, options: options))
  }

  /// Whether the value is another than the one given.
  public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.notEqual, node, .value(value), options: options))
  }

  /// Whether the value is another than that of another property.
  public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    Query<Bool>(.comparison(.notEqual, node, column.node, options: options))
  }

  /// Whether the value comes after the one given, by bytes.
  public static func > (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.greaterThan, lhs, to: rhs) }
  /// Whether the first value comes after the second, by bytes.
  public static func > (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.greaterThan, lhs, rhs) }
  /// Whether the value does not come before the one given, by bytes.
  public static func >= (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.greaterThanEqual, lhs, to: rhs) }
  /// Whether the first value does not come before the second, by bytes.
  public static func >= (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.greaterThanEqual, lhs, rhs) }
  /// Whether the value comes before the one given, by bytes.
  public static func < (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.lessThan, lhs, to: rhs) }
  /// Whether the first value comes before the second, by bytes.
  public static func < (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.lessThan, lhs, rhs) }
  /// Whether the value does not come after the one given, by bytes.
  public static func <= (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.lessThanEqual, lhs, to: rhs) }
  /// Whether the first value does not come after the second, by bytes.
  public static func <= (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.lessThanEqual, lhs, rhs) }
}
