import GatehouseModel

/// The effect of an operation on an object, as far as it is known before the transaction ends.
struct OperationOutcome {
  /// Nil: several objects.
  let row: RowAddress?
  let id: Mixed
  let effect: Commit.Result.Effect
  /// The number of objects that it was done to.
  var count = 1
}
