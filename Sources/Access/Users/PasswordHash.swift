import GatehouseBSON
public import GatehouseCrypto

/// The hash of a password with a salt of its own. To make one, or to compare with one, takes as long as its cost
/// says: not for an event loop.
public struct PasswordHash: Hashable, Sendable {
  private enum Kind: Hashable {
    case scrypt(salt: [UInt8], cost: ScryptCost, hash: [UInt8])
    /// Made by another server; the first login replaces it.
    case bcrypt(Bcrypt.Hash)
  }

  private let kind: Kind

  public init(of password: String, cost: ScryptCost = .standard) {
    let salt = SecureRandom.bytes(16)
    kind = .scrypt(
      salt: salt, cost: cost, hash: Scrypt.hash(Array(password.utf8), salt: salt, cost: cost))
  }

  /// The bytes of a hash.
  public static let size = 32

  /// A hash that no password is known to have: somebody has to set one.
  public static func unknown(cost: ScryptCost = .standard) -> PasswordHash {
    PasswordHash(salt: SecureRandom.bytes(16), cost: cost, hash: SecureRandom.bytes(size))
  }

  /// Makes a hash of its parts, as another program computed it.
  public init(salt: [UInt8], cost: ScryptCost, hash: [UInt8]) {
    kind = .scrypt(salt: salt, cost: cost, hash: hash)
  }

  public init(_ hash: Bcrypt.Hash) { kind = .bcrypt(hash) }

  /// The cost of our own hashes; nil: it is of another kind.
  public var cost: ScryptCost? {
    if case .scrypt(_, let cost, _) = kind { cost } else { nil }
  }

  /// Whether the password has this hash. Throws ``GatehouseCrypto/CryptoError/missingLibrary(_:)`` where the system cannot say.
  public func matches(_ password: String) throws(CryptoError) -> Bool {
    switch kind {
    case .scrypt(let salt, let cost, let hash):
      return ConstantTime.isEqual(Scrypt.hash(Array(password.utf8), salt: salt, cost: cost), hash)
    case .bcrypt(let hash):
      guard let library = Bcrypt.system else { throw .missingLibrary(Bcrypt.libraryName) }
      return library.matches(password, hash)
    }
  }

  /// The hash as stored.
  var record: Document {
    switch kind {
    case .scrypt(let salt, let cost, let hash):
      [
        "salt": .binary(Binary(bytes: salt)), "n": .int64(Int64(cost.iterations)),
        "r": .int64(Int64(cost.blockSize)), "p": .int64(Int64(cost.parallelism)),
        "hash": .binary(Binary(bytes: hash)),
      ]
    case .bcrypt(let hash): ["bcrypt": .string(hash.text)]
    }
  }

  /// Reads a stored hash; nil if the document is none, or comparing with it would cost too much.
  init?(record: Document) {
    if let text = record["bcrypt"]?.text {
      guard let hash = Bcrypt.Hash(text) else { return nil }
      kind = .bcrypt(hash)
      return
    }
    guard case .binary(let salt)? = record["salt"], case .binary(let hash)? = record["hash"],
      let iterations = record["n"]?.seconds, let blockSize = record["r"]?.seconds,
      let parallelism = record["p"]?.seconds,
      let cost = try? ScryptCost(
        iterations: Int(iterations), blockSize: Int(blockSize), parallelism: Int(parallelism))
    else { return nil }
    kind = .scrypt(salt: salt.bytes, cost: cost, hash: hash.bytes)
  }
}
