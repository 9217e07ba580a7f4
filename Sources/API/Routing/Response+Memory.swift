import GatehouseFunctions
import GatehouseHTTP
import GatehouseSharing

// Answers that their clients do not read stay in memory: who asks for many and reads none is refused from some point on.
extension Response {
  /// Answers of no more bytes are not counted; there is one for each connection at most.
  static let small = 256 << 10

  /// Counts the content as held by the caller until it has left or the connection has ended. Where that is more than the
  /// caller's share, a read is refused (``GatehouseSharing/BudgetError``), and the result of a function
  /// (``GatehouseFunctions/FunctionError/overBudget(_:)``). The answer to a write is counted all the same: it has happened.
  mutating func reserve(in memory: SharedBudget, for call: Call) throws {
    switch body {
    case .empty, .pushed: return
    case .bytes(let bytes):
      guard bytes.count > Response.small, call.request.method != .head else { return }
      let reservation = memory.reservation(for: call.caller)
      try call.endpoint.hold(bytes.count, in: reservation)
      retained = reservation
    case .stream(let produce):
      let caller = call.caller
      body = .stream { writer in
        try await produce(CountedWriter(writer: writer, memory: memory.reservation(for: caller)))
      }
    }
  }
}

extension Endpoint {
  /// Whether its requests leave the gateway's data as they are, but for what functions do.
  private var isRead: Bool { method == .get || method == .query || records == .reads }

  /// Refuses a write of a caller whose answers have overdrawn the memory; the answers to writes could do so without end.
  func requireBalance(of caller: Caller, in memory: SharedBudget) throws(BudgetError) {
    if !isRead { try memory.requireBalance(of: caller) }
  }

  /// Counts an answer of so many bytes.
  fileprivate func hold(_ count: Int, in memory: SharedBudget.Reservation) throws {
    if records == .functionCalls {
      do throws(BudgetError) { try memory.grow(to: count) } catch {
        throw FunctionError.overBudget(error.reason)
      }
    } else if isRead {
      try memory.grow(to: count)
    } else {
      memory.overdraw(to: count)
    }
  }
}

/// Counts the largest piece of a streamed answer as held by its caller, up to the end of the answer. The connection is
/// ended, as by any failure in the middle of an answer, where that is more than the caller's share.
private struct CountedWriter: BodyWriter {
  let writer: any BodyWriter
  let memory: SharedBudget.Reservation

  func write(_ bytes: [UInt8]) async throws {
    if bytes.count > Response.small { try memory.grow(to: bytes.count) }
    try await writer.write(bytes)
  }
}
