/// Limits as all connections of a server share them, with the times ready to be added.
public final class SharedLimits: Sendable {
  public let limits: Limits
  let head: HeadLimits
  let headTime: UInt64
  let idleTime: UInt64
  let progressTime: UInt64
  let probeTime: UInt64
  let lingerTime: UInt64

  public init(_ limits: Limits) {
    self.limits = limits
    head = HeadLimits(
      requestLine: limits.requestLine, head: limits.head, fieldCount: limits.fieldCount,
      content: limits.content)
    headTime = limits.headTime.inNanoseconds
    idleTime = limits.idleTime.inNanoseconds
    progressTime = limits.progressTime.inNanoseconds
    probeTime = limits.probeTime.inNanoseconds
    lingerTime = limits.lingerTime.inNanoseconds
  }
}

/// The limits that a head is held to, by themselves: all of them would be copied for each head.
struct HeadLimits: Sendable {
  let requestLine: Int
  let head: Int
  let fieldCount: Int
  let content: Int
}

extension Duration {
  /// Nanoseconds, 0 for negative durations, and at most three centuries.
  fileprivate var inNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    return UInt64(min(seconds, 10_000_000_000)) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
  }
}
