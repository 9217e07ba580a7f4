import GatehouseHTTP
import GatehouseQuery
import GatehouseStorage
import GatehouseTelemetry

/// Writes a line for each query that takes long: how it was run, and nothing of what it asked for or found.
public struct SlowQueryLog: Sendable {
  private let nanoseconds: UInt64
  private let write: @Sendable ([UInt8]) -> Void

  /// `write` takes lines of the log, JSON objects that end in line feeds.
  public init(beyond milliseconds: Int, _ write: @escaping @Sendable ([UInt8]) -> Void) {
    nanoseconds = UInt64(milliseconds) * 1_000_000
    self.write = write
  }

  /// Returns what `body` does with the plan, and notes it where it took long, or was broken off.
  func timing<Answer>(
    _ plan: Plan, of call: Call, from reader: Reader, _ body: () throws -> Answer
  ) throws -> Answer {
    let start = MonotonicClock.now()
    let answer = Result { try body() }
    let duration = MonotonicClock.now() - start
    if duration > nanoseconds { note(plan, of: call, from: reader, nanoseconds: duration) }
    return try answer.get()
  }

  private func note(_ plan: Plan, of call: Call, from reader: Reader, nanoseconds: UInt64) {
    // It has taken its time, though it may not be possible to explain it either.
    let explanation = try? reader.explain(plan)
    var clock = LogClock()
    var line = LogLine(.warning, "slow query", clock: &clock)
    line.append("request", call.request.id.description)
    line.append("class", plan.objectType)
    line.append("steps", explanation?.steps.joined(separator: "; ") ?? "")
    line.append("statement", explanation?.sql ?? "")
    line.append("microseconds", Int(nanoseconds / 1_000))
    write(line.line)
  }
}
