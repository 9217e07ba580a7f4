/// Enums, asked for by what is stored of them.
extension Query where T: PersistableEnum, T.RawValue: _RealmSchemaDiscoverable {
  /// The raw value.
  public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

extension Query
where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _RealmSchemaDiscoverable {
  /// The raw value, if there is one.
  public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}

/// Types of one's own, asked for by what is stored of them.
extension Query where T: _HasPersistedType {
  /// The value as it is stored.
  public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}
