import GatehouseBSON
import GatehouseDocuments
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage

/// A command of MongoDB's language that writes to a class with shards, and does not say to which one: a document that is yet to be
/// found, or documents of several shards.
///
/// Each shard is asked by requests of its own, which its leader answers; those that write are transactions of their own.
struct ShardedCommand: Sendable {
  typealias Respond = @Sendable (Gateway, Request, RequestScope) async -> Response

  private let shards: [Gateway]
  private let request: Request
  private let endpoint: Endpoint
  private let mediaType: MediaType
  private let command: DataCommand
  /// The members of the command, and of the content that it stands in.
  private let members: Document
  private let content: Document
  private let type: ObjectType
  private let schema: Schema

  /// Attempts to change the first document of an order, which others change meanwhile.
  private static let attempts = 1_000

  /// Throws ``APIError/notAcceptable(offers:)``.
  init(
    _ command: DataCommand, _ members: Document, in content: Document, of request: Request,
    on type: ObjectType, by router: ShardRouter
  ) throws(APIError) {
    (self.command, self.members, self.content) = (command, members, content)
    (self.request, self.type) = (request, type)
    (shards, endpoint, schema) = (router.shards, router.endpoint, router.schema)
    mediaType = try Call.mediaType(accept: request.fields["accept"], of: endpoint)
  }

  func answer(by respond: @escaping Respond) async -> Response {
    var sender = Sender(shards: shards, respond: respond)
    switch command {
    case .insert(let documents, _): return told(await insert(documents, &sender))
    case .update(let update) where update.isMany:
      let plain = with(upsert: false)
      if let answer = await each(plain, by: respond, &sender) { return told(answer) }
      return told(await upsert(update, &sender))
    case .update(let update): return told(await changeFirst(upserting: update, &sender))
    case .findAndUpdate(let query, let update, _):
      return told(await changeFirst(of: query, upserting: update, &sender))
    case .findAndDelete(let query): return told(await changeFirst(of: query, upserting: nil, &sender))
    case .delete: return told(await changeFirst(upserting: nil, &sender))
    case .find, .findOne, .count, .distinct, .aggregate: preconditionFailure("a command that writes")
    }
  }

  /// Returns an answer as the client wants it.
  private func told(_ answer: Response) -> Response {
    guard answer.isSuccess, endpoint.answers.contains(.bson), let value = answer.value else { return answer }
    var answer = answer
    answer.body = .bytes(mediaType.bytes(of: value))
    answer.fields.replace("content-type", mediaType.name)
    return answer
  }
}

// A change of one document, of the first shard that has one.
extension ShardedCommand {
  /// - Parameter update: Inserts a document where none is found; nil, or no upsert: nothing does.
  private func changeFirst(upserting update: DocumentUpdate?, _ sender: inout Sender) async -> Response {
    let (plain, first) = (with(upsert: false), Int.random(in: shards.indices))
    var answer: Response
    var rest = (Array(first..<shards.count) + Array(0..<first))[...]
    repeat {
      answer = await sender.send(plain, to: rest.removeFirst())
    } while answer.isSuccess && !hasFound(answer) && !rest.isEmpty
    guard answer.isSuccess, !hasFound(answer), let update, update.isUpsert else { return answer }
    return await upsert(update, &sender)
  }

  /// Changes the first document in the order of a query, as long as that is what it was found to be.
  private func changeFirst(
    of query: FindQuery, upserting update: DocumentUpdate?, _ sender: inout Sender
  ) async -> Response {
    guard let order = query.sort else { return await changeFirst(upserting: update, &sender) }
    var whole = members
    whole.elements.removeAll { ["project", "projection"].contains($0.key) }
    let trial = request(of: whole)
    for _ in 0..<ShardedCommand.attempts {
      let answers = await sender.send(shards.indices.map { ($0, trial) }, asTrial: true)
      if let failure = answers.first(where: { !$0.isSuccess }) { return failure }
      let found = answers.enumerated().compactMap { shard, answer in
        document(in: answer).map { (shard, $0) }
      }
      let best = found.min { order.compare($0.1, $1.1) < 0 }
      guard let (shard, first) = best, let id = first["_id"] else {
        return await changeFirst(upserting: update, &sender)
      }
      let answer = await sender.send(with(upsert: false, id: id), to: shard)
      if !answer.isSuccess || hasFound(answer) { return answer }
    }
    return await failure(DataSourceError.writeConflict)
  }

  /// Inserts the document of an update that has found none, in the shard that its identifier says.
  private func upsert(_ update: DocumentUpdate, _ sender: inout Sender) async -> Response {
    let store = shards[0].context.data.store
    let madeID = type.madeIdentifier
    do {
      let id = try await store.read(for: Caller(address: request.peer.client)) { reader -> Value? in
        let budget = Budget(memory: StoreCollections.memory) { reader.mustStop }
        let scope = Scope(now: .now, budget: budget)
        return try update.update.inserted(for: update.filter, in: scope, makeID: { madeID })["_id"]
      }
      if let id, id != .null, let shard = shard(ofDocument: id) {
        return await sender.send(with(upsert: true, id: id), to: shard)
      }
    } catch is DocumentsError {
      // That is what the shard will say.
    } catch {
      return await failure(error)
    }
    // No shard could have it.
    return await sender.send(request(of: members), to: 0)
  }

  /// Changes all documents in each shard; returns nil where there were none.
  private func each(_ plain: Request, by respond: @escaping Respond, _ sender: inout Sender) async
    -> Response?
  {
    do throws(APIError) {
      sender.isCounted = true
      let answer = try await ShardedWrite(plain, inEach: shards, to: endpoint).answer(by: respond)
      return answer.isSuccess && !hasFound(answer) ? nil : answer
    } catch {
      return await failure(error)
    }
  }
}

// Documents of several shards, each of which inserts its own in one transaction.
extension ShardedCommand {
  private struct Part {
    let shard: Int
    var documents: [Value] = []
    /// The places of the documents among all.
    var places: [Int] = []
  }

  /// Inserts documents up to the first one that cannot be inserted, as in MongoDB: each shard is asked which one that is before any is
  /// inserted.
  private func insert(_ documents: [Document], _ sender: inout Sender) async -> Response {
    let documents = documents.map { document in
      guard document["_id"] == nil, type.madeIdentifier != .null else { return document }
      return Document([Document.Element(key: "_id", value: type.madeIdentifier)] + document.elements)
    }
    let trials = parts(of: documents[...])
    let tried = await sender.send(trials.map { ($0.shard, request(inserting: $0)) }, asTrial: true)
    var (end, refusal): (Int, Response?) = (documents.count, nil)
    for (part, answer) in zip(trials, tried) where !answer.isSuccess {
      guard let index = answer.failedIndex, part.places.indices.contains(index) else { return answer }
      if part.places[index] < end { (end, refusal) = (part.places[index], answer) }
    }
    let inserting = parts(of: documents[..<end])
    let answers = await sender.send(inserting.map { ($0.shard, request(inserting: $0)) })
    var (inserted, failures): ([Int: Value], [(place: Int, answer: Response)]) = ([:], [])
    for (part, answer) in zip(inserting, answers) {
      for (place, id) in zip(part.places, answer.insertedIDs) { inserted[place] = id }
      if !answer.isSuccess { failures.append((part.places[answer.failedIndex ?? 0], answer)) }
    }
    let ids = Value.array(inserted.sorted { $0.key < $1.key }.map(\.value))
    if inserted.isEmpty, let failure = failures.first { return failure.answer }
    if !failures.isEmpty { return await partlyDone(ids, failures) }
    if let refusal { return refusal.located(at: end, inserted: ids) }
    var answer = answers[0]
    answer.body = .bytes(ids.asInserted(endpoint.answers.contains(.bson)))
    return answer
  }

  /// The answer where the documents of a shard have not been inserted, though nothing spoke against it a moment before.
  private func partlyDone(
    _ ids: Value, _ failures: [(place: Int, answer: Response)]
  ) async -> Response {
    var response = await failure(GroupError.partlyDone)
    guard case .document(var body)? = response.value else { return response }
    body.append("insertedIds", ids)
    let errors = failures.sorted { $0.place < $1.place }.map { place, answer in
      var error: Document = ["index": .int32(Int32(clamping: place))]
      if case .document(let members)? = answer.value {
        for name in ["code", "error_code"] { if let value = members[name] { error.append(name, value) } }
        error.append("errmsg", members["error"] ?? .null)
      }
      return Value.document(error)
    }
    body.append("writeErrors", .array(errors))
    response.body = .bytes(Value.document(body).extendedJSON)
    return response
  }

  private func parts(of documents: ArraySlice<Document>) -> [Part] {
    var parts: [Int: Part] = [:]
    for (place, document) in documents.enumerated() {
      // Any shard refuses a document whose identifier is none that there can be.
      let number = document["_id"].flatMap { shard(ofDocument: $0) } ?? 0
      parts[number, default: Part(shard: number)].documents.append(.document(document))
      parts[number, default: Part(shard: number)].places.append(place)
    }
    return parts.values.sorted { $0.shard < $1.shard }
  }

  private func request(inserting part: Part) -> Request {
    var members = members
    members.replace("documents", .array(part.documents))
    return request(of: members)
  }
}

// The requests to shards, and their answers.
extension ShardedCommand {
  /// Sends requests to shards. The whole takes one token of the caller's rate.
  private struct Sender {
    let shards: [Gateway]
    let respond: Respond
    var isCounted = false

    mutating func send(_ request: Request, to shard: Int) async -> Response {
      defer { isCounted = true }
      return await respond(shards[shard], request, RequestScope(isCounted: isCounted))
    }

    /// Sends requests at once, and returns their answers in the same order.
    mutating func send(_ requests: [(shard: Int, request: Request)], asTrial isTrial: Bool = false) async
      -> [Response]
    {
      defer { isCounted = true }
      return await withTaskGroup(of: (Int, Response).self) { [shards, respond, isCounted] group in
        for (index, (shard, request)) in requests.enumerated() {
          let scope = RequestScope(isCounted: isCounted || index > 0, isTrial: isTrial)
          group.addTask { (index, await respond(shards[shard], request, scope)) }
        }
        var answers: [(index: Int, response: Response)] = []
        for await answer in group { answers.append(answer) }
        return answers.sorted { $0.index < $1.index }.map(\.response)
      }
    }
  }

  private func shard(ofDocument id: Value) -> Int? {
    guard let key = try? type.identifier(from: id, in: schema) else { return nil }
    return ShardKey.shard(of: key, among: shards.count)
  }

  /// Returns the command that inserts nothing, or what it inserts where no document has an identifier.
  private func with(upsert: Bool, id: Value? = nil) -> Request {
    var changed = members
    if changed["upsert"] != nil || upsert { changed.replace("upsert", .bool(upsert)) }
    if let id {
      let name = members.elements.first { ["query", "filter"].contains($0.key) && $0.value != .null }?.key
      let filter = name.flatMap { members[$0] } ?? .document([:])
      changed.replace(name ?? "filter", .document(["_id": id, "$and": .array([filter])]))
    }
    return request(of: changed)
  }

  private func request(of members: Document) -> Request {
    var content = members
    if endpoint === Endpoint.callAppFunction {
      content = self.content
      content.replace("arguments", .array([.document(members)]))
    }
    return ShardedWrite.part(of: request, Value.document(content).extendedJSON, as: .json, to: endpoint)
  }

  /// Returns the document that an answer shows; nil: there is none.
  private func document(in answer: Response) -> Document? {
    let value = answer.value.flatMap { endpoint === Endpoint.callAppFunction ? $0 : $0["document"] }
    return if case .document(let document)? = value { document } else { nil }
  }

  /// Whether a shard has found a document.
  private func hasFound(_ answer: Response) -> Bool {
    switch command {
    case .findAndUpdate, .findAndDelete: return document(in: answer) != nil
    case .find, .findOne, .count, .distinct, .aggregate, .insert, .update, .delete:
      let count = answer.value.flatMap { $0["matchedCount"] ?? $0["deletedCount"] }?.asInt
      return count != 0
    }
  }

  private func failure(_ error: any Error) async -> Response {
    var response = await shards[0].respond(to: request, failure: error, Progress())
    shards[0].policies.cors?.apply(to: &response, for: request)
    return response
  }
}

extension Response {
  /// The value that its content is; nil: it is none.
  fileprivate var value: Value? {
    guard case .bytes(let bytes) = body else { return nil }
    if fields["content-type"] == MediaType.bson.name {
      return (try? Document(bson: bytes)).map { .document($0) }
    }
    return try? Value(json: bytes)
  }

  /// The place of the document that could not be inserted; nil: it says of none.
  fileprivate var failedIndex: Int? { isSuccess ? nil : value?["index"]?.asInt }

  /// The identifiers of the documents that have been inserted.
  fileprivate var insertedIDs: [Value] {
    if case .array(let ids)? = value?["insertedIds"] { ids } else { [] }
  }

  /// Returns the refusal of a document with its place among all.
  fileprivate func located(at index: Int, inserted: Value) -> Response {
    guard case .document(var members)? = value, let own = failedIndex else { return self }
    if case .string(let text)? = members["error"] {
      members.replace(
        "error",
        .string(text.replacing(" at documents[\(own)]", with: " at documents[\(index)]", maxReplacements: 1)))
    }
    members.replace("index", .int32(Int32(clamping: index)))
    members.replace("insertedIds", inserted)
    var response = self
    response.body = .bytes(Value.document(members).extendedJSON)
    return response
  }
}

extension Value {
  fileprivate subscript(name: String) -> Value? {
    if case .document(let members) = self { members[name] } else { nil }
  }

  /// The content of an answer that tells the identifiers of documents that have been inserted.
  fileprivate func asInserted(_ isBSON: Bool) -> [UInt8] {
    let members: Document = ["insertedIds": self]
    guard isBSON else { return Value.document(members).extendedJSON }
    guard let bytes = try? members.bson() else { preconditionFailure("a name without a zero byte") }
    return bytes
  }
}
