import GatehouseBSON
import GatehouseModel

extension Property {
  /// Returns the value that objects get that were there before the property: the schema's default, unless that identifies
  /// single objects, else null where that is legal (nil), else the type's own zero.
  func initialValue(in schema: Schema) -> Mixed? {
    guard case .one(let element, let isOptional) = type else { return nil }
    // A class of this property alone, so that the default is read as for any new object.
    let alone = ObjectType(name: "", properties: [self])
    if defaultValue != nil, generatedDefault?.isUnique != true,
      let draft = try? alone.complete(ObjectDraft(assignments: []), in: schema),
      case .value(let value)? = draft.assignments.first?.value
    {
      return value
    }
    if isUpdateTime, !isOptional { return .date(.now) }
    return isOptional ? nil : element.zero
  }
}

extension ElementType {
  fileprivate var zero: Mixed {
    switch self {
    case .bool: .bool(false)
    case .int: .int(0)
    case .float: .float(0)
    case .double: .double(0)
    case .decimal128: .decimal128(.zero)
    case .string: .string("")
    case .data: .data([])
    case .date: .date(Date(seconds: 0))
    case .objectID: .objectID(ObjectID(high: 0, low: 0))
    case .uuid: .uuid(UUID(high: 0, low: 0))
    case .mixed, .object: .null
    }
  }
}
