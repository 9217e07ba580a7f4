import GatehouseCluster

/// A node in a simulation: its state while it runs, and what is on its disk.
struct SimulatedNode {
  let name: NodeName
  /// How much faster the clock of its machine runs than true time, as a fraction.
  let clockRate: Double
  let clockOffset: Double
  var store = ModelStore()
  /// Nil while the node is down.
  var state: MemberState?
  /// Grows with each start: what was under way when the node ended is nobody's.
  var run = 0
  var isPartitioned = false
  /// Whether the store takes commits of its own.
  var isLeading = false
  var isWriting = false

  /// The node's clock at that time, both in nanoseconds.
  func clock(at time: UInt64) -> UInt64 { UInt64(clockOffset + Double(time) * clockRate) }

  /// The time that passes while the node's clock runs for so long.
  func trueTime(_ duration: Duration) -> UInt64 {
    UInt64(Double(duration / .nanoseconds(1)) / clockRate)
  }
}
