import GatehouseAccess

/// Who asks for something in the middle of a function's call.
struct FunctionRequester: Sendable {
  /// The one with whose rights it is done: the caller of the function, or the gateway itself (`run_as_system`).
  let principal: Principal
  /// The caller of the function, who has begun the audit scopes that it joins.
  let caller: Principal
  /// The transaction that it is a part of; nil: none.
  var transaction: FunctionTransaction?
}
