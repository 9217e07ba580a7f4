public import GatehouseStorage

/// Frames that go to a client in one write, and which objects they show where somebody has to know.
public struct EncodedEvents: Sendable {
  public var bytes: [UInt8]
  /// An observation for each state of the store, in the order of the frames; empty unless ``Subscription/recordsReads``.
  public var shown: [Observation]

  /// Makes a write of frames that show those objects.
  public init(_ bytes: [UInt8] = [], showing shown: [Observation] = []) {
    self.bytes = bytes
    self.shown = shown
  }

  /// Adds what comes behind it.
  public static func += (left: inout EncodedEvents, right: EncodedEvents) {
    left.bytes += right.bytes
    left.shown += right.shown
  }
}
