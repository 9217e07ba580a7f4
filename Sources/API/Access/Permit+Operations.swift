import GatehouseAccess
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension Permit {
  /// The transaction, for what the caller may change only. Throws ``AccessError``.
  func restricted(_ transaction: Transaction) throws(AccessError) -> Transaction {
    var transaction = transaction
    for index in transaction.operations.indices {
      transaction.operations[index] = try restricted(transaction.operations[index])
    }
    transaction.rights = WriteRights(
      conditions: conditions(for: transaction.operations), visibility: visibility)
    return transaction
  }

  /// The operation, for what the caller may change only. Throws ``AccessError``.
  func restricted(_ operation: GatehouseStorage.Operation) throws(AccessError) -> GatehouseStorage.Operation {
    switch operation {
    case .create(let name, let draft, .error): try requireCreatable(draft, of: name)
    case .create(let name, let draft, _): try requireCreatableOrChangeable(draft, of: name)
    case .put(let name, _, let draft, _): try requireReplaceable(by: draft, of: name)
    case .update(let name, _, let patch, _): try requireChangeable(by: patch, of: name)
    case .edit(let name, _, let edit, _): try requireChangeable(by: edit, of: name)
    case .change(let name, _, let path, _, _): try requireWritable(valueAt: path, of: name)
    case .delete(let name, _, _): try requireWritable(name)
    case .each(let plan, let action):
      var plan = try restricted(plan)
      try requireAllowed(action, of: plan.objectType)
      // Leaves out the objects that the caller may not change.
      if let writable = self[plan.objectType].writable { plan.predicate = .all([writable, plan.predicate]) }
      return .each(plan, action)
    }
    return operation
  }

  private func requireAllowed(
    _ action: GatehouseStorage.Operation.Action, of objectType: String
  ) throws(AccessError) {
    switch action {
    case .update(let patch): try requireChangeable(by: patch, of: objectType)
    case .edit(let edit): try requireChangeable(by: edit, of: objectType)
    case .compute, .transform, .delete: try requireWritable(objectType)
    }
  }

  /// Returns what must hold of the objects that the operations touch, by class.
  func conditions(for operations: [GatehouseStorage.Operation]) -> [String: ObjectCondition] {
    var conditions: [String: ObjectCondition] = [:]
    for operation in operations {
      for name in operation.objectTypes where conditions[name] == nil {
        conditions[name] = condition(of: name)
      }
    }
    return conditions
  }

  /// Returns what must hold of objects of the class; nil where every object may be seen and changed, in all properties.
  func condition(of objectType: String) -> ObjectCondition? {
    let rights = self[objectType]
    guard
      rights.read != .all || rights.write != .all || !rights.fixed.isEmpty || !rights.fixedFields.isEmpty
        || rights.quota != nil
    else { return nil }
    return ObjectCondition(
      visible: rights.read.predicate, writable: rights.write.predicate, kept: rights.fixed,
      keptFields: rights.fixedFields, quota: rights.objectQuota)
  }
}

extension ClassPermit {
  /// A refusal tells how much there is where the caller sees all of it.
  fileprivate var objectQuota: ObjectQuota? {
    guard let quota else { return nil }
    var limit = ObjectQuota(objects: quota.objects, bytes: quota.bytes)
    limit.isLasting = !writeDependsOnTime && write.predicate.looksAtOwnPropertiesOnly
    limit.showsUsage = !hidesSomething && (read == .all || read == write)
    return limit
  }
}

extension GatehouseStorage.Operation {
  /// The class of the object that it begins with.
  fileprivate var objectType: String {
    switch self {
    case .create(let name, _, _), .put(let name, _, _, _), .update(let name, _, _, _),
      .edit(let name, _, _, _), .change(let name, _, _, _, _), .delete(let name, _, _):
      name
    case .each(let plan, _): plan.objectType
    }
  }

  /// The classes of the object that it begins with, and of the one that changes.
  fileprivate var objectTypes: [String] {
    if case .change(let name, _, let path, _, _) = self { [name, path.ownerType] } else { [objectType] }
  }
}
