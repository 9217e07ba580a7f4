/// A data source of an app, as one of its users sees it.
public typealias MongoClient = RLMMongoClient

/// A data source of an app, as one of its users sees it.
public final class RLMMongoClient: Sendable {
  /// The name of the data source.
  public let name: String
  private let user: User

  init(user: User, name: String) {
    self.user = user
    self.name = name
  }

  /// A database of the data source.
  public func database(named name: String) -> MongoDatabase {
    MongoDatabase(user: user, service: self.name, name: name)
  }
}

/// A database of a data source.
public typealias MongoDatabase = RLMMongoDatabase

/// A database of a data source.
public final class RLMMongoDatabase: Sendable {
  /// The name of the database.
  public let name: String
  private let user: User
  private let service: String

  init(user: User, service: String, name: String) {
    self.user = user
    self.service = service
    self.name = name
  }

  /// A collection of the database.
  public func collection(withName name: String) -> MongoCollection {
    MongoCollection(user: user, service: service, database: self.name, name: name)
  }
}
