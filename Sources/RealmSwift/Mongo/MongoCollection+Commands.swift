import GatehouseBSON

extension RLMMongoCollection {
  /// Is handed the identifier of a document, or an error.
  public typealias MongoInsertBlock = @Sendable (Result<AnyBSON, any Error>) -> Void

  /// Is handed the identifiers of documents, or an error.
  public typealias MongoInsertManyBlock = @Sendable (Result<[AnyBSON], any Error>) -> Void

  /// Is handed documents, or an error.
  public typealias MongoFindBlock = @Sendable (Result<[Document], any Error>) -> Void

  /// Is handed a document, or nil, or an error.
  public typealias MongoFindOneBlock = @Sendable (Result<Document?, any Error>) -> Void

  /// Is handed a number, or an error.
  public typealias MongoCountBlock = @Sendable (Result<Int, any Error>) -> Void

  /// Is handed the effect of an update, or an error.
  public typealias MongoUpdateBlock = @Sendable (Result<UpdateResult, any Error>) -> Void

  /// Adds a document, and returns its identifier.
  public func insertOne(_ document: Document) async throws -> AnyBSON {
    let answer = try await perform("insertOne") { $0.append("document", document) }
    guard let id = answer.member("insertedId") else { throw AppError.incomplete("insertedId") }
    return AnyBSON(id)
  }

  /// Adds a document, and hands its identifier over.
  @preconcurrency
  public func insertOne(_ document: Document, _ completion: @escaping MongoInsertBlock) {
    Completion.run(completion) { try await self.insertOne(document) }
  }

  /// Adds documents, and returns their identifiers in order.
  public func insertMany(_ documents: [Document]) async throws -> [AnyBSON] {
    let answer = try await perform("insertMany") { $0.append("documents", documents) }
    return (answer.member("insertedIds")?.elements ?? []).map { AnyBSON($0) }
  }

  /// Adds documents, and hands their identifiers over in order.
  @preconcurrency
  public func insertMany(_ documents: [Document], _ completion: @escaping MongoInsertManyBlock) {
    Completion.run(completion) { try await self.insertMany(documents) }
  }

  /// Finds documents, and returns them.
  public func find(filter: Document, options: FindOptions = FindOptions()) async throws -> [Document] {
    let answer = try await perform("find") {
      $0.append("query", filter)
      options.append(to: &$0)
    }
    return answer.documents
  }

  /// Finds documents, and hands them over.
  @preconcurrency
  public func find(
    filter: Document, options: FindOptions = FindOptions(), _ completion: @escaping MongoFindBlock
  ) {
    Completion.run(completion) { try await self.find(filter: filter, options: options) }
  }

  /// Finds one document, and returns it; nil: there is none.
  public func findOneDocument(filter: Document, options: FindOptions = FindOptions()) async throws
    -> Document?
  {
    let answer = try await perform("findOne") {
      $0.append("query", filter)
      options.append(to: &$0)
    }
    return AnyBSON(answer).documentValue
  }

  /// Finds one document, and hands it over; nil: there is none.
  @preconcurrency
  public func findOneDocument(
    filter: Document, options: FindOptions = FindOptions(), _ completion: @escaping MongoFindOneBlock
  ) {
    Completion.run(completion) { try await self.findOneDocument(filter: filter, options: options) }
  }

  /// Sends documents through the stages of a pipeline, and returns what comes out.
  public func aggregate(pipeline: [Document]) async throws -> [Document] {
    try await perform("aggregate") { $0.append("pipeline", pipeline) }.documents
  }

  /// Sends documents through the stages of a pipeline, and hands over what comes out.
  @preconcurrency
  public func aggregate(pipeline: [Document], _ completion: @escaping MongoFindBlock) {
    Completion.run(completion) { try await self.aggregate(pipeline: pipeline) }
  }

  /// Counts documents, and returns their number.
  public func count(filter: Document, limit: Int? = nil) async throws -> Int {
    let answer = try await perform("count") {
      $0.append("query", filter)
      if let limit { $0.append("limit", .int64(Int64(limit))) }
    }
    guard let count = answer.integer else { throw AppError.incomplete("count") }
    return count
  }

  /// Counts documents, and hands their number over.
  @preconcurrency
  public func count(filter: Document, limit: Int? = nil, _ completion: @escaping MongoCountBlock) {
    Completion.run(completion) { try await self.count(filter: filter, limit: limit) }
  }

  /// Deletes the first document that is found, and returns how many were there: 1 or 0.
  public func deleteOneDocument(filter: Document) async throws -> Int {
    try await perform("deleteOne") { $0.append("query", filter) }.requireNumber("deletedCount")
  }

  /// Deletes the first document that is found, and hands over how many were there: 1 or 0.
  @preconcurrency
  public func deleteOneDocument(filter: Document, _ completion: @escaping MongoCountBlock) {
    Completion.run(completion) { try await self.deleteOneDocument(filter: filter) }
  }

  /// Deletes all documents that are found, and returns their number.
  public func deleteManyDocuments(filter: Document) async throws -> Int {
    try await perform("deleteMany") { $0.append("query", filter) }.requireNumber("deletedCount")
  }

  /// Deletes all documents that are found, and hands their number over.
  @preconcurrency
  public func deleteManyDocuments(filter: Document, _ completion: @escaping MongoCountBlock) {
    Completion.run(completion) { try await self.deleteManyDocuments(filter: filter) }
  }

  /// Changes the first document that is found, and returns the effect.
  public func updateOneDocument(filter: Document, update: Document, upsert: Bool = false) async throws
    -> UpdateResult
  {
    try await performUpdate("updateOne", filter, update, upsert: upsert)
  }

  /// Changes the first document that is found, and hands the effect over.
  @preconcurrency
  public func updateOneDocument(
    filter: Document, update: Document, upsert: Bool = false, _ completion: @escaping MongoUpdateBlock
  ) {
    Completion.run(completion) {
      try await self.updateOneDocument(filter: filter, update: update, upsert: upsert)
    }
  }

  /// Changes all documents that are found, and returns the effect.
  public func updateManyDocuments(filter: Document, update: Document, upsert: Bool = false) async throws
    -> UpdateResult
  {
    try await performUpdate("updateMany", filter, update, upsert: upsert)
  }

  /// Changes all documents that are found, and hands the effect over.
  @preconcurrency
  public func updateManyDocuments(
    filter: Document, update: Document, upsert: Bool = false, _ completion: @escaping MongoUpdateBlock
  ) {
    Completion.run(completion) {
      try await self.updateManyDocuments(filter: filter, update: update, upsert: upsert)
    }
  }

  /// Changes one document, and returns it as it was; nil: there was none.
  public func findOneAndUpdate(filter: Document, update: Document, options: FindOneAndModifyOptions = .init())
    async throws -> Document?
  {
    try await performModification("findOneAndUpdate", filter, update, options)
  }

  /// Changes one document, and hands it over as it was; nil: there was none.
  @preconcurrency
  public func findOneAndUpdate(
    filter: Document, update: Document, options: FindOneAndModifyOptions = .init(),
    _ completion: @escaping MongoFindOneBlock
  ) {
    Completion.run(completion) {
      try await self.findOneAndUpdate(filter: filter, update: update, options: options)
    }
  }

  /// Puts another document in the place of one, and returns it as it was; nil: there was none.
  public func findOneAndReplace(
    filter: Document, replacement: Document, options: FindOneAndModifyOptions = .init()
  ) async throws -> Document? {
    try await performModification("findOneAndReplace", filter, replacement, options)
  }

  /// Puts another document in the place of one, and hands it over as it was; nil: there was none.
  @preconcurrency
  public func findOneAndReplace(
    filter: Document, replacement: Document, options: FindOneAndModifyOptions = .init(),
    _ completion: @escaping MongoFindOneBlock
  ) {
    Completion.run(completion) {
      try await self.findOneAndReplace(filter: filter, replacement: replacement, options: options)
    }
  }

  /// Deletes one document, and returns it; nil: there was none.
  public func findOneAndDelete(filter: Document, options: FindOneAndModifyOptions = .init()) async throws
    -> Document?
  {
    try await performModification("findOneAndDelete", filter, nil, options)
  }

  /// Deletes one document, and hands it over; nil: there was none.
  @preconcurrency
  public func findOneAndDelete(
    filter: Document, options: FindOneAndModifyOptions = .init(), _ completion: @escaping MongoFindOneBlock
  ) {
    Completion.run(completion) { try await self.findOneAndDelete(filter: filter, options: options) }
  }
}
