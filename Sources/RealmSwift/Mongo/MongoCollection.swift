import GatehouseBSON

/// A collection of a data source, as one of its users sees it.
public typealias MongoCollection = RLMMongoCollection

/// A collection of a data source, as one of its users sees it.
public final class RLMMongoCollection: Sendable {
  /// The name of the collection.
  public let name: String
  /// The name of its database.
  public let databaseName: String
  let user: User
  let service: String

  init(user: User, service: String, database: String, name: String) {
    self.user = user
    self.service = service
    databaseName = database
    self.name = name
  }

  /// The members that every command has.
  var place: GatehouseBSON.Document { ["database": .string(databaseName), "collection": .string(name)] }

  /// Has the data source perform a command, and returns what it answers.
  func perform(
    _ command: String, _ members: (inout GatehouseBSON.Document) -> Void
  ) async throws(RLMAppError) -> GatehouseBSON.Value {
    var argument = place
    members(&argument)
    return try await user.send(user.functionRequest(command, of: service, [.document(argument)]))
  }

  func performUpdate(
    _ command: String, _ filter: Document, _ update: Document, upsert: Bool
  ) async throws(RLMAppError) -> UpdateResult {
    let answer = try await perform(command) {
      $0.append("query", filter)
      $0.append("update", update)
      $0.append("upsert", .bool(upsert))
    }
    return try UpdateResult(answer)
  }

  func performModification(
    _ command: String, _ filter: Document, _ update: Document?, _ options: FindOneAndModifyOptions
  ) async throws(RLMAppError) -> Document? {
    let answer = try await perform(command) {
      $0.append("filter", filter)
      if let update { $0.append("update", update) }
      options.append(to: &$0)
    }
    return AnyBSON(answer).documentValue
  }
}

extension GatehouseBSON.Document {
  mutating func append(_ name: String, _ document: [String: AnyBSON?]) {
    append(name, AnyBSON.document(document).stored)
  }

  mutating func append(_ name: String, _ documents: [[String: AnyBSON?]]) {
    append(name, .array(documents.map { AnyBSON.document($0).stored }))
  }
}

extension GatehouseBSON.Value {
  /// The documents of an array.
  var documents: [[String: AnyBSON?]] { elements.compactMap { AnyBSON($0).documentValue } }
}
