import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension WriteError {
  /// Makes the error of one of a request's operations, which is at that place of the content; nil: it is all of it. A link
  /// that leads nowhere has a place of its own.
  init(
    _ error: OperationError, of operation: GatehouseStorage.Operation?, in schema: Schema,
    at place: Content.Place?
  ) {
    guard let pointer = operation?.pointer(toLinkOf: error.reason, in: schema) else {
      self.init(reason: error.reason, place: place)
      return
    }
    self.init(
      reason: error.reason,
      place: Content.Place(pointer: (place?.pointer ?? "") + pointer, line: place?.line))
  }
}

extension DataAccess {
  /// Performs a transaction as ``perform(_:for:)`` does; an error tells of the link in it that leads nowhere.
  /// `place` returns the place of an operation in the content; nil: it is all of it.
  func perform(
    _ transaction: Transaction, for call: Call, locating place: (OperationError) -> Content.Place?
  ) async throws -> Commit {
    do {
      return try await perform(transaction, for: call)
    } catch let error as OperationError {
      // A transaction without operations can fail as well.
      let operations = transaction.operations
      guard operations.indices.contains(error.operation) else {
        throw WriteError(error, of: nil, in: call.schema, at: nil)
      }
      throw WriteError(error, of: operations[error.operation], in: call.schema, at: place(error))
    }
  }
}

extension GatehouseStorage.Operation {
  /// Returns a JSON Pointer into the object that the operation writes, to the link that the error is about; nil where it
  /// is about none, or the operation does not say where it is.
  fileprivate func pointer(toLinkOf error: StorageError, in schema: Schema) -> String? {
    guard case .linkTargetNotFound(let target, let key) = error else { return nil }
    switch self {
    case .create(let name, let draft, _), .put(let name, _, let draft, _):
      return schema[name].flatMap { draft.pointer(toLink: target, key, of: $0, in: schema) }
    case .update(let name, _, let patch, _):
      return schema[name].flatMap { patch.pointer(toLink: target, key, of: $0, in: schema) }
    case .each(let plan, .update(let patch)):
      return schema[plan.objectType].flatMap { patch.pointer(toLink: target, key, of: $0, in: schema) }
    case .edit, .change, .delete, .each: return nil
    }
  }
}
