public import BSON

/// One login of a user, from which access tokens come until they log out.
public struct Session: Hashable, Sendable {
  public let id: ObjectID
  public let user: ObjectID
  public let device: ObjectID
  public let created: Date

  public init(of user: ObjectID, device: ObjectID?, at now: Date) {
    id = .generate()
    self.user = user
    self.device = device ?? .generate()
    created = now
  }

  /// What is stored of it.
  public var record: Document {
    ["user": .objectID(user), "device": .objectID(device), "created": .date(created)]
  }
}
