public import GatehouseModel

extension Predicate {
  /// Returns the condition that a property of the class links to the object with that primary key (`_key` where its
  /// class has none); nil where the class has no such property. Says what `property == $0` says, also of names that
  /// the language has no spelling for.
  public static func linking(
    from type: ObjectType, by property: String, to objectType: String, id: Mixed
  ) -> Predicate? {
    guard let index = type.index(of: property), type.properties[index].type.linkTarget == objectType else {
      return nil
    }
    let route: Hop.Route =
      if case .one = type.properties[index].type { .link(property: index) } else {
        .elements(property: index)
      }
    let path = KeyPath(
      objectType: type.name, hops: [Hop(route, to: objectType)], end: .object, type: .object(objectType))
    let target = Constant.object(objectType: objectType, primaryKey: id)
    return .comparison(Comparison(.path(path), relation: .equal(caseSensitive: true), .constant(target)))
  }
}
