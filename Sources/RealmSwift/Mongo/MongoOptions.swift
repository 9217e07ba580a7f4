import GatehouseBSON

/// The documents of a collection that are found, and the parts of them that are shown.
public typealias FindOptions = RLMFindOptions

/// The documents of a collection that are found, and the parts of them that are shown.
public struct RLMFindOptions: Sendable {
  /// The most documents; nil: as many as there are.
  public var limit: Int?
  /// The parts of documents that are shown; nil: all of them.
  public var projection: Document?
  /// The order of documents: documents of one name each, of which the first counts most.
  public var sorting: [Document]

  /// Says what is found. The order of names in `sort` is that of their bytes, since a dictionary has none.
  public init(_ limit: Int? = nil, _ projection: Document? = nil, _ sort: Document? = nil) {
    self.init(limit: limit, projection: projection, sort: sort)
  }

  /// Says what is found. The order of names in `sort` is that of their bytes, since a dictionary has none.
  public init(limit: Int?, projection: Document?, sort: Document?) {
    self.init(limit: limit, projection: projection, sorting: sort.map { [$0] } ?? [])
  }

  /// Says what is found.
  public init(limit: Int? = nil, projection: Document? = nil, sorting: [Document]) {
    (self.limit, self.projection, self.sorting) = (limit, projection, sorting)
  }

  /// The members of a command, with the name that a projection has in it.
  func append(to command: inout GatehouseBSON.Document) {
    if let limit { command.append("limit", .int64(Int64(limit))) }
    if let projection { command.append("project", AnyBSON.document(projection).stored) }
    if !sorting.isEmpty { command.append("sort", Self.joined(sorting)) }
  }

  /// Documents as one, with their members in order.
  static func joined(_ documents: [Document]) -> GatehouseBSON.Value {
    let members = documents.flatMap { document -> [GatehouseBSON.Document.Element] in
      if case .document(let stored) = AnyBSON.document(document).stored { stored.elements } else { [] }
    }
    return .document(GatehouseBSON.Document(members))
  }
}

/// How one document is found and changed, and which of its states is returned.
public typealias FindOneAndModifyOptions = RLMFindOneAndModifyOptions

/// How one document is found and changed, and which of its states is returned.
public struct RLMFindOneAndModifyOptions: Sendable {
  /// The parts of the document that are shown; nil: all of it.
  public var projection: Document?
  /// The order of documents, the first of which is changed: documents of one name each, of which the first counts most.
  public var sorting: [Document]
  /// Whether a document is made where there is none.
  public var upsert: Bool
  /// Whether the document is returned as it is afterwards.
  public var shouldReturnNewDocument: Bool

  /// Says how a document is found and changed.
  public init(
    _ projection: Document? = nil, _ sort: Document? = nil, _ upsert: Bool = false,
    _ shouldReturnNewDocument: Bool = false
  ) {
    self.init(
      projection: projection, sort: sort, upsert: upsert, shouldReturnNewDocument: shouldReturnNewDocument)
  }

  /// Says how a document is found and changed.
  public init(
    projection: Document?, sort: Document?, upsert: Bool = false, shouldReturnNewDocument: Bool = false
  ) {
    self.init(
      projection: projection, sorting: sort.map { [$0] } ?? [], upsert: upsert,
      shouldReturnNewDocument: shouldReturnNewDocument)
  }

  /// Says how a document is found and changed.
  public init(
    projection: Document? = nil, sorting: [Document], upsert: Bool = false,
    shouldReturnNewDocument: Bool = false
  ) {
    self.projection = projection
    self.sorting = sorting
    self.upsert = upsert
    self.shouldReturnNewDocument = shouldReturnNewDocument
  }

  func append(to command: inout GatehouseBSON.Document) {
    if let projection { command.append("projection", AnyBSON.document(projection).stored) }
    if !sorting.isEmpty { command.append("sort", RLMFindOptions.joined(sorting)) }
    if upsert { command.append("upsert", .bool(true)) }
    if shouldReturnNewDocument { command.append("returnNewDocument", .bool(true)) }
  }
}

/// The effect of an update.
public typealias UpdateResult = RLMUpdateResult

/// The effect of an update.
public struct RLMUpdateResult: Sendable {
  /// The number of documents that were found.
  public let matchedCount: Int
  /// The number of documents that were changed.
  public let modifiedCount: Int
  /// The identifier of the document that was made; nil: none was.
  public let documentId: AnyBSON?

  /// The identifier of the document that was made, where it is an ``ObjectId``; nil otherwise.
  public var objectId: ObjectId? { documentId?.objectIdValue }

  init(_ answer: GatehouseBSON.Value) throws(RLMAppError) {
    matchedCount = try answer.requireNumber("matchedCount")
    modifiedCount = try answer.requireNumber("modifiedCount")
    documentId = answer.member("upsertedId").map { AnyBSON($0) }
  }
}

extension GatehouseBSON.Value {
  /// The integer; nil where it is none.
  var integer: Int? {
    switch self {
    case .int32(let value): Int(value)
    case .int64(let value): Int(value)
    default: nil
    }
  }

  /// The integer that a document has under a name. Throws where there is none.
  func requireNumber(_ name: String) throws(RLMAppError) -> Int {
    guard let number = member(name)?.integer else { throw .incomplete(name) }
    return number
  }
}
