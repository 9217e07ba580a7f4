public import GatehouseBSON
import GatehouseCrypto

/// An e-mail address with a password, confirmed or not.
public struct PasswordAccount: Hashable, Sendable {
  /// The action that a mailed token permits.
  public enum Purpose: String, Hashable, Sendable {
    case confirm
    case reset
  }

  private struct Pending: Hashable {
    let id: ObjectID
    let purpose: Purpose
    let hash: [UInt8]
    let end: Int64
  }

  /// Seconds for which a mailed token is valid.
  public static let patience: Int64 = 30 * 60
  /// The lengths that a password may have, in characters, as in App Services.
  public static let passwordLengths = 6...128

  public let id: ObjectID
  public let email: String
  public var password: PasswordHash
  public private(set) var isConfirmed: Bool
  private var pending: Pending?

  public init(email: String, password: PasswordHash, isConfirmed: Bool) {
    id = .generate()
    self.email = email
    self.password = password
    self.isConfirmed = isConfirmed
  }

  /// Makes an account that another server has made, by its identifier there.
  public init(id: ObjectID, email: String, password: PasswordHash, isConfirmed: Bool) {
    (self.id, self.email, self.password, self.isConfirmed) = (id, email, password, isConfirmed)
  }

  /// The identity that links the account to its user.
  public var identity: User.Identity { User.Identity(User.Identity.password, id.description) }

  /// Makes the token that is to be mailed, and invalidates an earlier one.
  public mutating func expect(_ purpose: Purpose, at now: Date) -> (token: String, tokenID: String) {
    let secret = SecureRandom.bytes(32)
    let pending = Pending(
      id: .generate(), purpose: purpose, hash: Digest.sha256.hash(secret),
      end: now.seconds + PasswordAccount.patience)
    self.pending = pending
    return ("\(self.id)\(Hexadecimal.text(of: secret))", pending.id.description)
  }

  /// The purpose of the token that is outstanding; nil if there is none.
  public var expected: Purpose? { pending?.purpose }

  /// Makes the account usable, whatever token was outstanding.
  public mutating func confirm() {
    isConfirmed = true
    if expected == .confirm { pending = nil }
  }

  /// Whether the token is the outstanding one and valid; it is accepted once.
  public mutating func accept(
    _ token: String, _ tokenID: String, for purpose: Purpose, at now: Date
  ) -> Bool {
    guard let pending, pending.purpose == purpose, pending.id.description == tokenID,
      now.seconds < pending.end,
      let secret = Hexadecimal.bytes(of: token.dropFirst(24)),
      ConstantTime.isEqual(Digest.sha256.hash(secret), pending.hash)
    else { return false }
    self.pending = nil
    if purpose == .confirm { isConfirmed = true }
    return true
  }

  /// Returns the identifier of the account that a token belongs to.
  public static func account(of token: String) -> ObjectID? { ObjectID(String(token.prefix(24))) }

  /// The account as stored.
  public var record: Document {
    var record: Document = [
      "id": .objectID(id), "email": .string(email), "password": .document(password.record),
      "confirmed": .bool(isConfirmed),
    ]
    if let pending {
      record.append(
        "pending",
        .document([
          "id": .objectID(pending.id), "purpose": .string(pending.purpose.rawValue),
          "hash": .binary(Binary(bytes: pending.hash)), "end": .int64(pending.end),
        ]))
    }
    return record
  }

  /// Reads a stored account; nil if the document is none.
  public init?(record: Document) {
    guard case .objectID(let id)? = record["id"], let email = record["email"]?.text,
      case .document(let password)? = record["password"], let password = PasswordHash(record: password),
      case .bool(let isConfirmed)? = record["confirmed"]
    else { return nil }
    self.id = id
    self.email = email
    self.password = password
    self.isConfirmed = isConfirmed
    guard case .document(let pending)? = record["pending"] else { return }
    guard case .objectID(let tokenID)? = pending["id"],
      let purpose = pending["purpose"]?.text.flatMap(Purpose.init), case .binary(let hash)? = pending["hash"],
      let end = pending["end"]?.seconds
    else { return nil }
    self.pending = Pending(id: tokenID, purpose: purpose, hash: hash.bytes, end: end)
  }
}
