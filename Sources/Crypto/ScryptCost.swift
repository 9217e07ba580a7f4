/// The cost parameters of a password hash (RFC 7914 §2): memory of 128·N·r bytes, and time in proportion to N·r·p.
public struct ScryptCost: Hashable, Sendable {
  /// The memory that a hash may take, in bytes.
  public static let memory = 64 << 20
  /// The most that N·r·p may be: some seconds on a slow machine.
  public static let work = 1 << 21

  /// N: a power of two.
  public let iterations: Int
  /// r.
  public let blockSize: Int
  /// p.
  public let parallelism: Int

  /// 16 MiB, some tenths of a second. What OWASP's "Password Storage Cheat Sheet" lists beside more memory at once: 2^14, 8, 5.
  public static let standard = ScryptCost(unchecked: 1 << 14, 8, 5)

  /// Throws ``CryptoError/costOutOfBounds``: a stored hash must not make a server compute without end.
  public init(iterations: Int, blockSize: Int, parallelism: Int) throws(CryptoError) {
    let isPower = iterations > 1 && iterations & (iterations - 1) == 0
    guard isPower, blockSize > 0, parallelism > 0, iterations <= ScryptCost.work, blockSize <= 64,
      parallelism <= 64, 128 * iterations * blockSize <= ScryptCost.memory,
      iterations * blockSize * parallelism <= ScryptCost.work
    else { throw .costOutOfBounds }
    self.init(unchecked: iterations, blockSize, parallelism)
  }

  private init(unchecked iterations: Int, _ blockSize: Int, _ parallelism: Int) {
    self.iterations = iterations
    self.blockSize = blockSize
    self.parallelism = parallelism
  }
}
