import Synchronization

extension ObjectID {
  /// Five random bytes of this process. A fork would have to make them anew; this program does not fork.
  private static let process = UInt64.random(in: 0..<1 << 40)
  private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<1 << 24))

  /// A new identifier: four bytes of time in seconds, five random bytes of the process, a three-byte counter.
  ///
  /// Source: <https://github.com/mongodb/specifications/blob/master/source/bson-objectid/objectid.md>.
  public static func generate() -> ObjectID {
    let count = counter.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF_FFFF
    let time = UInt64(UInt32(truncatingIfNeeded: Date.now.seconds))
    return ObjectID(
      high: time << 32 | process >> 8,
      low: UInt32(truncatingIfNeeded: process) << 24 | count)
  }
}
