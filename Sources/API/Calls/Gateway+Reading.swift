import Access
import HTTP
import Sharing
import Storage

extension Gateway {
  /// Reads on the loop what is brief, and on one of the store's threads what would keep other requests waiting, or is
  /// known to.
  func read<Answer: Sendable>(
    for call: Call, onThread: Bool = false, _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    if !onThread, let answer = try reader.briefly(for: call.caller, body) { return answer }
    return try await store.read(for: call.caller, body)
  }
}

extension Call {
  /// Who has a share of what the request takes.
  var caller: Caller { Caller(address: request.peer.client, principal: principal.id) }
}
