import GatehouseBSON
import GatehouseDocuments

extension DataCommand {
  /// Reads a command of that name. Clients of App Services say `query` and `project` where the Data API says `filter` and
  /// `projection`; an update without operators replaces, whatever the command is called.
  ///
  /// - Parameter limit: the most documents that `find` gives where it does not say; nil: all.
  init(_ name: String, _ document: Document, limit: Int? = nil) throws(DataSourceError) {
    guard let known = DataCommand.members[name] else { throw .unknownCommand(name) }
    let members = try CommandMembers(document, known: known)
    do {
      self = try DataCommand.read(name, members, limit: limit)
    } catch let error as DataSourceError {
      throw error
    } catch let error as DocumentsError {
      throw .language(error)
    } catch {
      preconditionFailure("an error of another kind: \(error)")
    }
  }

  /// The members that each command understands.
  private static let members: [String: [String]] = [
    "find": ["query", "filter", "project", "projection", "sort", "limit", "skip"],
    "findOne": ["query", "filter", "project", "projection", "sort", "limit", "skip"],
    "count": ["query", "filter", "limit", "skip"],
    "distinct": ["key", "query", "filter"],
    "aggregate": ["pipeline"],
    "insertOne": ["document"],
    "insertMany": ["documents"],
    "updateOne": changes, "updateMany": changes,
    "replaceOne": ["query", "filter", "replacement", "update", "upsert"],
    "deleteOne": ["query", "filter"], "deleteMany": ["query", "filter"],
    "findOneAndUpdate": findings, "findOneAndReplace": findings, "findOneAndDelete": findings,
  ]
  private static let changes = ["query", "filter", "update", "upsert", "arrayFilters"]
  private static let findings = [
    "filter", "query", "update", "replacement", "sort", "projection", "project", "upsert",
    "returnNewDocument", "arrayFilters",
  ]

  private static func read(
    _ name: String, _ members: CommandMembers, limit: Int?
  ) throws -> DataCommand {
    switch name {
    case "find": return .find(try query(members, limit: try members.count("limit") ?? limit))
    case "findOne": return .findOne(try query(members, limit: 1))
    case "count":
      return .count(
        FindQuery(
          filter: try filter(members), skip: try members.count("skip") ?? 0,
          limit: try members.count("limit")))
    case "distinct":
      let filter = try filter(members)
      return .distinct(try DistinctValues(of: try members.text("key"), filter: filter), filter)
    case "aggregate": return .aggregate(try Pipeline(try members.array("pipeline")))
    case "insertOne": return .insert([try members.document("document")], isMany: false)
    case "insertMany":
      guard let documents = try members.documents("documents") else {
        throw DataSourceError.missingMember("documents")
      }
      if documents.isEmpty { throw DataSourceError.noDocuments }
      return .insert(documents, isMany: true)
    case "updateOne": return .update(try update(members, isMany: false))
    case "updateMany": return .update(try update(members, isMany: true))
    case "replaceOne":
      let update = try update(members, isMany: false)
      guard update.update.isReplacement else {
        throw DataSourceError.wrongMember("replacement", expected: "a document without operators")
      }
      return .update(update)
    case "deleteOne": return .delete(try target(members), isMany: false)
    case "deleteMany": return .delete(try target(members), isMany: true)
    default: return try finding(name, members)
    }
  }

  /// realm-web sends `findOneAndDelete` as `findOneAndReplace` that has no update (`MongoDBCollection.ts`).
  private static func finding(_ name: String, _ members: CommandMembers) throws -> DataCommand {
    _ = try target(members)
    let query = try query(members, limit: 1)
    if name == "findOneAndDelete" || name == "findOneAndReplace" && members["update", "replacement"] == nil {
      return .findAndDelete(query)
    }
    return .findAndUpdate(
      query, try update(members, isMany: false), returnsNew: try members.flag("returnNewDocument"))
  }

  private static func filter(_ members: CommandMembers) throws -> Filter {
    try Filter(try members.optionalDocument("query", "filter") ?? Document())
  }

  /// The filter of a command that changes documents. It has to be said, be it empty: one left out by mistake would change all.
  private static func target(_ members: CommandMembers) throws -> Filter {
    guard members["query", "filter"] != nil else { throw DataSourceError.missingMember("filter") }
    return try filter(members)
  }

  private static func query(_ members: CommandMembers, limit: Int?) throws -> FindQuery {
    try FindQuery(
      filter: try members.optionalDocument("query", "filter") ?? Document(),
      sort: try members.optionalDocument("sort"), skip: try members.count("skip") ?? 0, limit: limit,
      projection: try members.optionalDocument("project", "projection"))
  }

  private static func update(_ members: CommandMembers, isMany: Bool) throws -> DocumentUpdate {
    guard let value = members["update", "replacement"] else { throw DataSourceError.missingMember("update") }
    return DocumentUpdate(
      filter: try target(members),
      update: try Update(value, arrayFilters: try members.documents("arrayFilters") ?? []),
      isUpsert: try members.flag("upsert"), isMany: isMany)
  }
}
