import GatehouseScheduling
import Synchronization

/// Has the next piece of a long transaction made while the last one is written.
///
/// Decoding is as much work as writing: on two processors a load takes little more than half the time.
final class ReadAhead: Sendable {
  private typealias Piece = Result<[Operation]?, any Error>

  private let make: @Sendable () throws -> [Operation]?
  private let lane: any Lane
  private let piece = Mutex<Piece?>(nil)
  private let ready: any Signal

  /// Calls `make` from a thread of its own, one call at a time, until it gives nil or throws. It may be called once
  /// more after the last ``next()``.
  init(on scheduler: any Scheduler, _ make: @escaping @Sendable () throws -> [Operation]?) {
    self.make = make
    lane = scheduler.makeLane("gatehouse.load", priority: .userInitiated)
    ready = scheduler.makeSignal()
    begin()
  }

  /// The next piece; nil at the end. Not to be called again then.
  func next() throws -> [Operation]? {
    ready.wait()
    guard let piece = piece.withLock({ $0 }) else { preconditionFailure("a piece that is ready was made") }
    let next = try piece.get()
    if next != nil { begin() }
    return next
  }

  private func begin() {
    lane.async { [self] in
      let next = Piece { try make() }
      piece.withLock { $0 = next }
      ready.signal()
    }
  }
}
