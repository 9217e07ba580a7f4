import GatehouseAccess
import GatehouseAudit
import GatehouseHTTP
import GatehouseSharing
import GatehouseStorage

extension Context {
  /// Reads on the loop what is brief, and on one of the store's threads what would keep other requests waiting, or is
  /// known to.
  func read<Answer: Sendable>(
    for call: Call, onThread: Bool = false, _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    if !onThread, let answer = try reader.briefly(for: call.caller, body) { return answer }
    return try await store.read(for: call.caller, body)
  }

  /// Reads, on the loop or on a thread, and records what the answer shows before anybody gets it.
  func read<Answer: Sendable>(
    for call: Call, as kind: ReadKind, onThread: Bool = false,
    _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    guard let recording = call.recording, recording.recordsReads else {
      return try await read(for: call, onThread: onThread, body)
    }
    let (answer, observation) = try await read(for: call, onThread: onThread) { try $0.observing(body) }
    try await recording.record([observation], as: kind)
    return answer
  }

  /// Performs a transaction as far as the caller may, in the schema of the call, and records it with it.
  func perform(_ transaction: Transaction, for call: Call) async throws -> Commit {
    var transaction = try call.permit?.restricted(transaction) ?? transaction
    transaction.generation = call.generation
    guard let record = call.recording?.write() else { return try await store.perform(transaction) }
    transaction.hook = record.hook()
    return try await record.commit { [store, transaction] in try await store.perform(transaction) }
  }
}

extension Call {
  /// The caller whose share of the server the request takes.
  var caller: Caller { Caller(address: request.peer.client, principal: principal.id) }
}
