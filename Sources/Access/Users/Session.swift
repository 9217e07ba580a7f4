public import BSON

/// One login of a user, from which access tokens come until they log out.
public struct Session: Hashable, Sendable {
  public let id: ObjectID
  public let user: ObjectID
  public let device: ObjectID
  public let created: Date
  /// The user's key that it began with; nil: with something else.
  public let key: ObjectID?

  public init(of user: ObjectID, device: ObjectID?, key: ObjectID? = nil, at now: Date) {
    id = .generate()
    self.user = user
    self.device = device ?? .generate()
    self.key = key
    created = now
  }

  /// What is stored of it.
  public var record: Document {
    var record: Document = [
      "user": .objectID(user), "device": .objectID(device), "created": .date(created),
    ]
    if let key { record.append("key", .objectID(key)) }
    return record
  }
}
