public import GatehouseBSON

/// A login of a user, which gives access tokens until they log out.
public struct Session: Hashable, Sendable {
  public let id: ObjectID
  public let user: ObjectID
  public let device: ObjectID
  public let created: Date
  /// The day on which the session last gave an access token.
  public var used: Date
  /// The user's API key that the session began with; nil for other credentials.
  public let key: ObjectID?

  public init(of user: ObjectID, device: ObjectID?, key: ObjectID? = nil, at now: Date) {
    id = .generate()
    self.user = user
    self.device = device ?? .generate()
    self.key = key
    created = now
    used = now
  }

  /// The second at which the last of its tokens expires.
  public var end: Int64 {
    created.seconds + UserToken.Kind.refresh.lifetime + UserToken.Kind.access.lifetime
  }

  /// The session as stored.
  public var record: Document {
    var record: Document = [
      "user": .objectID(user), "device": .objectID(device), "created": .date(created), "used": .date(used),
    ]
    if let key { record.append("key", .objectID(key)) }
    return record
  }

  /// Reads a stored session; nil if the document is none.
  public init?(id: ObjectID, record: Document) {
    guard case .objectID(let user)? = record["user"], case .objectID(let device)? = record["device"],
      case .date(let created)? = record["created"]
    else { return nil }
    (self.id, self.user, self.device, self.created) = (id, user, device, created)
    if case .date(let used)? = record["used"] { self.used = used } else { used = created }
    if case .objectID(let key)? = record["key"] { self.key = key } else { key = nil }
  }
}
