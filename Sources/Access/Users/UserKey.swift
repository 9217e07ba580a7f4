public import GatehouseBSON
import GatehouseCrypto

/// An API key that a user made, to log in with.
///
///     uk_<24 hexadecimal digits: the identifier>_<64 hexadecimal digits: the secret>
public struct UserKey: Hashable, Sendable {
  public let id: ObjectID
  public let user: ObjectID
  public let name: String
  public var isDisabled = false
  private let hash: [UInt8]

  /// Makes a key, and returns it with its text, which is stored nowhere.
  public static func make(_ name: String, of user: ObjectID) -> (key: UserKey, text: String) {
    let secret = SecureRandom.bytes(32)
    let key = UserKey(id: .generate(), user: user, name: name, hash: Digest.sha256.hash(secret))
    return (key, "uk_\(key.id)_\(Hexadecimal.text(of: secret))")
  }

  private init(id: ObjectID, user: ObjectID, name: String, hash: [UInt8]) {
    (self.id, self.user, self.name, self.hash) = (id, user, name, hash)
  }

  /// Whether a key may have the name: ASCII letters, digits, `_` and `-`.
  public static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 100
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Returns the identifier in a key's text; nil if the text is no key.
  public static func id(in text: String) -> ObjectID? {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "uk" ? ObjectID(String(parts[1])) : nil
  }

  /// Whether the text is the key's.
  public func matches(_ text: String) -> Bool {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    guard UserKey.id(in: text) == id, let secret = Hexadecimal.bytes(of: parts[2]) else { return false }
    return ConstantTime.isEqual(Digest.sha256.hash(secret), hash)
  }

  /// The key as clients are shown it, without its secret.
  public var summary: Document {
    ["_id": .string(id.description), "name": .string(name), "disabled": .bool(isDisabled)]
  }

  /// The key as stored.
  public var record: Document {
    [
      "id": .objectID(id), "user": .objectID(user), "name": .string(name), "disabled": .bool(isDisabled),
      "hash": .binary(Binary(bytes: hash)),
    ]
  }

  /// Reads a stored key; nil if the document is none.
  public init?(record: Document) {
    guard case .objectID(let id)? = record["id"], case .objectID(let user)? = record["user"],
      let name = record["name"]?.text, case .bool(let isDisabled)? = record["disabled"],
      case .binary(let hash)? = record["hash"]
    else { return nil }
    self.init(id: id, user: user, name: name, hash: hash.bytes)
    self.isDisabled = isDisabled
  }
}
