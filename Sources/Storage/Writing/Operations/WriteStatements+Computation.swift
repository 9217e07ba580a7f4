import GatehouseBSON
import GatehouseModel
import GatehouseQuery

extension WriteStatements {
  /// Returns the patch of an object that computations give. Throws ``StorageError/incomputable(_:)`` where a property cannot
  /// hold its value.
  func patch(
    of computations: [Computation], _ row: RowAddress, id: Mixed
  ) throws(StorageError) -> ObjectPatch {
    let table = catalog.tables[row.table]
    let lookup = PropertyLookup(session)
    let object = StoredObject(table: table, key: ObjectKey(row.key), lookup: lookup)
    var changes: [ObjectPatch.Change] = []
    for computation in computations {
      let value = computation.expression.value(of: object)
      if let failure = lookup.failure { throw failure }
      let property = table.objectType.properties[computation.property]
      guard case .one(let type, let isOptional) = property.type else { continue }
      let refusal = { (reason: UnconvertibleValue.Reason) in
        StorageError.incomputable(
          UnconvertibleValue(
            objectType: table.objectType.name, property: property.name, id: id, reason: reason))
      }
      guard let stored = value.stored(as: type) else {
        throw refusal(.inexact(from: value.elementType ?? .mixed, to: type))
      }
      guard stored != .null || isOptional else { throw refusal(.null) }
      changes.append(ObjectPatch.Change(property: computation.property, value: .assign(.value(stored))))
    }
    return ObjectPatch(changes: changes)
  }
}

extension Mixed {
  /// The value as a property of that type holds it: one that says the same, but of binary fractions the nearest, since of most
  /// results none is equal.
  fileprivate func stored(as type: ElementType) -> Mixed? {
    if let exact = converted(to: type) { return exact }
    let nearest: Double
    switch self {
    case .double(let value): nearest = value
    case .decimal128(let value): nearest = value.double
    default: return nil
    }
    switch type {
    case .double where nearest.isFinite && nearest != 0: return .double(nearest)
    case .float:
      let float = Float(nearest)
      return float.isFinite && float != 0 ? .float(float) : nil
    default: return nil
    }
  }
}
