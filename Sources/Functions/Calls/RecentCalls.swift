public import GatehouseBSON
internal import Synchronization

/// A call of a function that is over, for whoever looks after the functions.
public struct RecentCall: Sendable {
  public let function: String
  public let ended: Date
  public let requestID: String?
  /// `ok`, or how it failed, in one word.
  public let outcome: String
  public let microseconds: Int
  /// The first lines on its console, with level and text.
  public let console: [(level: String, text: String)]
  /// The stack of its error.
  public let stack: String?
}

/// The latest calls, of all functions together.
final class RecentCalls: Sendable {
  private static let capacity = 200
  /// The most characters of console, and of the stack, that are kept of a call.
  private static let room = 4_096

  private let calls = Mutex<[RecentCall]>([])

  /// The latest first.
  func calls(of function: String) -> [RecentCall] {
    calls.withLock { $0.reversed().filter { $0.function == function } }
  }

  func add(_ record: CallRecord) {
    var room = Self.room
    var console: [(level: String, text: String)] = []
    for line in record.console where room > 0 {
      console.append((line.level, String(line.text.prefix(room))))
      room -= line.text.count + 1
    }
    let call = RecentCall(
      function: record.function, ended: .now, requestID: record.requestID, outcome: record.outcome,
      microseconds: record.nanoseconds / 1_000, console: console,
      stack: record.stack.map { String($0.prefix(Self.room)) })
    calls.withLock { calls in
      // Half of them at once, so that not every call moves all others.
      if calls.count == 2 * Self.capacity { calls.removeFirst(Self.capacity) }
      calls.append(call)
      precondition(calls.count <= 2 * Self.capacity, "a bounded number of calls is remembered")
    }
  }
}
