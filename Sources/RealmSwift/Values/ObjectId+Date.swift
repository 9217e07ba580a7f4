public import Foundation

extension ObjectId {
  /// Creates an ObjectId of a time, in whole seconds from 1970 to 2106, and numbers of a machine and a process, of which
  /// the last 24 and 16 bits count.
  public convenience init(timestamp: Date, machineId: Int, processId: Int) {
    let seconds = timestamp.timeIntervalSince1970.rounded(.down)
    self.init(
      Self.stored(
        seconds: UInt32(truncatingIfNeeded: Int64(exactly: seconds) ?? 0), machine: machineId,
        process: processId))
  }

  /// The time at which the identifier was made, in whole seconds.
  public var timestamp: Date { Date(timeIntervalSince1970: Double(seconds)) }
}
