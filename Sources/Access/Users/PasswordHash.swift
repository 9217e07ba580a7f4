import GatehouseBSON
public import GatehouseCrypto

/// The hash of a password with a salt of its own. To make one, or to compare with one, takes as long as its cost
/// says: not for an event loop.
public struct PasswordHash: Hashable, Sendable {
  private let salt: [UInt8]
  public let cost: ScryptCost
  private let hash: [UInt8]

  public init(of password: String, cost: ScryptCost = .standard) {
    salt = SecureRandom.bytes(16)
    self.cost = cost
    hash = Scrypt.hash(Array(password.utf8), salt: salt, cost: cost)
  }

  /// The bytes of a hash.
  public static let size = 32

  /// A hash that no password is known to have: somebody has to set one.
  public static func unknown(cost: ScryptCost = .standard) -> PasswordHash {
    PasswordHash(salt: SecureRandom.bytes(16), cost: cost, hash: SecureRandom.bytes(size))
  }

  /// Makes a hash of its parts, as another program computed it.
  public init(salt: [UInt8], cost: ScryptCost, hash: [UInt8]) {
    (self.salt, self.cost, self.hash) = (salt, cost, hash)
  }

  /// Whether the password has this hash.
  public func matches(_ password: String) -> Bool {
    ConstantTime.isEqual(Scrypt.hash(Array(password.utf8), salt: salt, cost: cost), hash)
  }

  /// The hash as stored.
  var record: Document {
    [
      "salt": .binary(Binary(bytes: salt)), "n": .int64(Int64(cost.iterations)),
      "r": .int64(Int64(cost.blockSize)), "p": .int64(Int64(cost.parallelism)),
      "hash": .binary(Binary(bytes: hash)),
    ]
  }

  /// Reads a stored hash; nil if the document is none, or comparing with it would cost too much.
  init?(record: Document) {
    guard case .binary(let salt)? = record["salt"], case .binary(let hash)? = record["hash"],
      let iterations = record["n"]?.seconds, let blockSize = record["r"]?.seconds,
      let parallelism = record["p"]?.seconds,
      let cost = try? ScryptCost(
        iterations: Int(iterations), blockSize: Int(blockSize), parallelism: Int(parallelism))
    else { return nil }
    (self.salt, self.cost, self.hash) = (salt.bytes, cost, hash.bytes)
  }
}
