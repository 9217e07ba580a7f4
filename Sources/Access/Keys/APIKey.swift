public import GatehouseBSON
internal import GatehouseCrypto

/// A key by which a program identifies itself. Only a hash of its secret is known, once it has been made.
///
///     gk_<24 hexadecimal digits: the identifier>_<64 hexadecimal digits: the secret>
///
/// The secret is 256 random bits, so that one hash is enough: there is nothing to guess.
public struct APIKey: Hashable, Sendable {
  public let id: ObjectID
  /// The name that the operator gave the key.
  public let name: String
  public let role: String
  /// The only classes that it is for; none: all that the role has.
  public let classes: [String]
  public let created: Date
  private let hash: [UInt8]

  /// A new key, and its text, which is nowhere else.
  public static func make(
    name: String, role: String, classes: [String], created: Date
  ) -> (key: APIKey, text: String) {
    let secret = SecureRandom.bytes(32)
    let key = APIKey(
      id: .generate(), name: name, role: role, classes: classes, created: created,
      hash: Digest.sha256.hash(secret))
    return (key, Token(id: key.id, secret: secret).text)
  }

  private init(id: ObjectID, name: String, role: String, classes: [String], created: Date, hash: [UInt8]) {
    self.id = id
    self.name = name
    self.role = role
    self.classes = classes
    self.created = created
    self.hash = hash
  }

  /// Whether the secret of the token is the key's.
  public func matches(_ token: Token) -> Bool {
    token.id == id && ConstantTime.isEqual(Digest.sha256.hash(token.secret), hash)
  }

  /// The key as administrators are shown it, without its secret.
  public var summary: Document {
    [
      "id": .string(id.description), "name": .string(name), "role": .string(role),
      "classes": .array(classes.map { .string($0) }), "created": .date(created),
    ]
  }

  /// The key as stored.
  public var record: Document {
    var record = summary
    record.append("hash", .binary(Binary(bytes: hash)))
    return record
  }

  /// A key that was stored; nil: that is none.
  public init?(record: Document) {
    guard case .string(let id)? = record["id"], let id = ObjectID(id),
      case .string(let name)? = record["name"], case .string(let role)? = record["role"],
      case .array(let classes)? = record["classes"], case .date(let created)? = record["created"],
      case .binary(let hash)? = record["hash"]
    else { return nil }
    var names: [String] = []
    for value in classes {
      guard case .string(let name) = value else { return nil }
      names.append(name)
    }
    self.init(id: id, name: name, role: role, classes: names, created: created, hash: hash.bytes)
  }
}

extension APIKey {
  /// The text of a key as a client shows it: identifier and secret.
  public struct Token: Hashable, Sendable {
    /// The beginning of each key's text.
    public static let prefix = "gk_"

    public let id: ObjectID
    let secret: [UInt8]

    init(id: ObjectID, secret: [UInt8]) {
      self.id = id
      self.secret = secret
    }

    /// Nil: the text is no key.
    public init?(_ text: String) {
      let parts = text.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "gk", let id = ObjectID(String(parts[1])),
        let secret = Hexadecimal.bytes(of: parts[2]), secret.count == 32
      else { return nil }
      self.init(id: id, secret: secret)
    }

    var text: String { "\(Self.prefix)\(id)_\(Hexadecimal.text(of: secret))" }
  }
}
