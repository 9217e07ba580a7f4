internal import Glibc

// Costs that differ in how many passes there are (p), each of which takes 16 MiB: so time is in proportion to p.
extension ScryptCost {
  private static let pass = (iterations: 1 << 14, blockSize: 8)

  /// Makes the cost of so many passes of 16 MiB; nil if that is out of bounds.
  public init?(passes: Int) {
    guard
      let cost = try? ScryptCost(
        iterations: Self.pass.iterations, blockSize: Self.pass.blockSize, parallelism: passes)
    else { return nil }
    self = cost
  }

  /// N·r·p, to which the time is in proportion.
  public var operations: Int { iterations * blockSize * parallelism }

  /// The cost that comes nearest to a time where a pass takes `pass`, both in nanoseconds: one pass at least, which is
  /// what the paper on scrypt has for logins ("Stronger Key Derivation via Sequential Memory-Hard Functions", §6).
  public static func taking(_ time: UInt64, pass: UInt64) -> ScryptCost {
    let largest = ScryptCost.work / (Self.pass.iterations * Self.pass.blockSize)
    let pass = max(1, min(pass, time * 2))
    let passes = (time + pass / 2) / pass
    return ScryptCost(passes: max(1, min(largest, Int(clamping: passes)))) ?? .standard
  }

  /// Returns the cost that is left to compute after a hash of cost `other`, so that both together take as long as
  /// this one; nil if nothing is left.
  public func rest(after other: ScryptCost?) -> ScryptCost? {
    guard let other else { return self }
    let unit = iterations * blockSize
    let passes = (operations - other.operations) / unit
    return try? ScryptCost(iterations: iterations, blockSize: blockSize, parallelism: passes)
  }

  /// The nanoseconds that one pass takes, the least of three. Of the thread's own time: others may be busy.
  public static func timeOfPass() -> UInt64 {
    guard let cost = ScryptCost(passes: 1) else { return 1 }
    return (0..<3).map { _ in
      let begin = threadTime()
      _ = Scrypt.hash([], salt: [0], cost: cost)
      return threadTime() - begin
    }.min() ?? 1
  }

  private static func threadTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
