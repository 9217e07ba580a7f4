/// Mixed values.
extension Query where T == AnyRealmValue {
  /// The element of the list inside the value.
  public subscript(position: Int) -> Query<AnyRealmValue> { Query(node.stepping(.index(position))) }
  /// The entry of the map inside the value.
  public subscript(key: String) -> Query<AnyRealmValue> { Query(node.stepping(.key(key))) }
  /// Any element of the list, or any value of the map inside the value.
  public var any: Query<AnyRealmValue> { Query(node.stepping(.all)) }
}

extension AnyRealmValue: _QueryNumeric {}
