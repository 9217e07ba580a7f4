// Collections of enums and of types of one's own, asked for by what is stored of their elements.

extension Query
where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
  /// The raw values.
  public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
    Query<AnyRealmCollection<T.Element.RawValue>>(node)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
  /// The raw values.
  public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { Query<Map<T.Key, T.Value.RawValue>>(node) }
}

extension Query
where
  T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
  T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
  /// The raw values.
  public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
    Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(node)
  }
}

extension Query
where
  T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
  T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
  /// The raw values.
  public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
    Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(node)
  }
}

extension Query where T: RealmCollection {
  /// The elements as they are stored.
  public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
    Query<AnyRealmCollection<T.Element.PersistedType>>(node)
  }
}

extension Query where T: RealmKeyedCollection {
  /// The values as they are stored.
  public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
    Query<Map<T.Key, T.Value.PersistedType>>(node)
  }
}
