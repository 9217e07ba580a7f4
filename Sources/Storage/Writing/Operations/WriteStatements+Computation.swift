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
      let values = computation.expression.values(of: object)
      if let failure = lookup.failure { throw failure }
      let property = table.objectType.properties[computation.property]
      let refusal = { (reason: UnconvertibleValue.Reason) in
        StorageError.incomputable(
          UnconvertibleValue(
            objectType: table.objectType.name, property: property.name, id: id, reason: reason))
      }
      let result: DraftValue
      switch property.type {
      case .one(let type, let isOptional):
        result = try draft(of: values.first ?? .null, as: type, isOptional: isOptional, lookup, refusal)
      case .list(let type, let isOptional), .set(let type, let isOptional):
        var elements: [DraftValue] = []
        // Nothing in the place of a collection is an empty one.
        for value in values where computation.expression.isMany || value != .null {
          elements.append(try draft(of: value, as: type, isOptional: isOptional, lookup, refusal))
        }
        result = .list(elements)
      case .map, .linkingObjects: continue
      }
      changes.append(ObjectPatch.Change(property: computation.property, value: .assign(result)))
    }
    return ObjectPatch(changes: changes)
  }

  /// Returns a value as a property or collection of that type takes it.
  private func draft(
    of value: Mixed, as type: ElementType, isOptional: Bool, _ lookup: PropertyLookup,
    _ refusal: (UnconvertibleValue.Reason) -> StorageError
  ) throws(StorageError) -> DraftValue {
    guard value != .null else {
      guard isOptional else { throw refusal(.null) }
      return .value(.null)
    }
    if case .object(let target) = type { return try link(to: target, by: value, lookup, refusal) }
    guard let stored = value.stored(as: type) else {
      throw refusal(.inexact(from: value.elementType ?? .mixed, to: type))
    }
    return .value(stored)
  }

  /// Returns a link to an object, which is given by itself or by its primary key.
  private func link(
    to target: String, by value: Mixed, _ lookup: PropertyLookup,
    _ refusal: (UnconvertibleValue.Reason) -> StorageError
  ) throws(StorageError) -> DraftValue {
    if case .link(let link) = value {
      let id = try session.identifier(of: link)
      guard id != .null else { throw refusal(.noTarget(objectType: target)) }
      return .link(objectType: target, primaryKey: id)
    }
    let type = try catalog.table(target).identifierType
    guard let id = value.converted(to: type) else {
      throw refusal(.inexact(from: value.elementType ?? .mixed, to: type))
    }
    let isThere = lookup.link(target, id) != nil
    if let failure = lookup.failure { throw failure }
    guard isThere else { throw refusal(.noTarget(objectType: target)) }
    return .link(objectType: target, primaryKey: id)
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
