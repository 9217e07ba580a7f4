import GatehouseSQLite
import GatehouseSharing

/// One long transaction whose operations come piece by piece.
struct BulkLoad: Sendable {
  /// Makes a repetition of the load harmless; nil: it is performed each time.
  let idempotency: IdempotencyRecord?
  /// The generation of the schema that the operations are made for; nil: no matter.
  let generation: Int64?
  /// The rights of its caller.
  let rights: WriteRights
  /// Makes the operations that are committed with it, piece by piece.
  let hook: CommitHook?
  /// The caller whose share of the writer it takes.
  var caller = Caller.process
  /// Asks for an end before the commit.
  let interruption: Interruption
  /// Gives the operations piece by piece; nil at the end.
  let next: @Sendable () throws -> [Operation]?
}
