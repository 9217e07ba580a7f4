internal import GatehouseModel
internal import GatehouseStorage

extension ObjectBase: PredicateArgument {
  /// The object by what identifies it in its Realm; one that is in none equals no object, an embedded one those that hold
  /// the same.
  var predicateConstant: PredicateConstant {
    let className = type(of: self).className()
    guard let accessor, !accessor.isInvalidated else {
      let members = self is RealmSwiftEmbeddedObject ? self.members : []
      return .object(PredicateObject(className: className, id: nil, members: members, text: className))
    }
    let properties = accessor.managed.schema.allProperties
    let primary = properties.firstIndex { $0.isPrimary }
    let id = primary.map { accessor.value(of: PropertyKey($0)) } ?? .int(accessor.row.key)
    return .object(
      PredicateObject(
        className: accessor.managed.schema.className, id: id, members: [], text: "\(className) \(id)"))
  }

  private var members: [PredicateObject.Member] {
    layout.fields.map(\.property).filter { $0.type != .linkingObjects }.map { property in
      if property.isArray || property.isSet || property.isMap {
        return PredicateObject.Member(name: property.name, value: nil, kind: "collections")
      }
      let value = PredicateConstant(value(forKey: property.name))
      guard case .object(let object) = value, object.id != nil || object.members.isEmpty else {
        return PredicateObject.Member(name: property.name, value: value, kind: "values")
      }
      return PredicateObject.Member(name: property.name, value: nil, kind: "links")
    }
  }
}

extension AnyRealmValue: PredicateArgument {
  var predicateConstant: PredicateConstant {
    switch self {
    case .none: .null
    case .int(let value): value.predicateConstant
    case .bool(let value): value.predicateConstant
    case .float(let value): value.predicateConstant
    case .double(let value): value.predicateConstant
    case .string(let value): value.predicateConstant
    case .data(let value): value.predicateConstant
    case .date(let value): value.predicateConstant
    case .object(let value): value.predicateConstant
    case .objectId(let value): value.predicateConstant
    case .decimal128(let value): value.predicateConstant
    case .uuid(let value): value.predicateConstant
    case .dictionary(let value):
      .dictionary(Dictionary(uniqueKeysWithValues: value.map { ($0.key, PredicateConstant($0.value)) }))
    case .list(let value): value.predicateConstant
    }
  }
}

extension RealmCollection {
  /// The elements.
  var predicateConstant: PredicateConstant { .list(map { PredicateConstant($0) }) }
}

extension List: PredicateArgument {}
extension MutableSet: PredicateArgument {}
extension LinkingObjects: PredicateArgument {}
extension Results: PredicateArgument {}
extension AnyRealmCollection: PredicateArgument {}
