import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

/// Finds the shards of a group that a request is about: one, where it is about one object or some of one shard.
struct ShardRouter: Sendable {
  enum Target: Sendable {
    case one(Int)
    /// All, whose objects are put together.
    case merged
    /// One after the other.
    case each([Gateway])
    /// The shards with a part in a write.
    case parts(ShardedWrite)
    /// The shards that a command has to do with.
    case command(ShardedCommand)
  }

  let shards: [Gateway]
  let endpoint: Endpoint
  let captures: [String]
  /// The schema of the first shard, which a change comes to first.
  let schema: Schema

  private static let object = "/v1/collections/{class}/{id}"

  init(_ shards: [Gateway], for endpoint: Endpoint, _ captures: [String]) {
    precondition(
      shards.enumerated().allSatisfy { $1.context.data.place?.shard == $0 },
      "the shards of a group come in the order of their numbers")
    (self.shards, self.endpoint, self.captures) = (shards, endpoint, captures)
    schema = shards[0].context.data.reader.schemaState.0
  }

  /// Whether a content may have parts for several shards.
  var dividesContent: Bool { endpoint === Endpoint.createObjects || endpoint === Endpoint.patchObjects }

  /// Returns a content as the class that the path names understands it. Throws ``APIError``.
  func content(_ bytes: [UInt8], as type: ContentType) throws(APIError) -> Content {
    guard endpoint === Endpoint.createObjects, let objectType = schema[captures[0]] else {
      return try Content(bytes, as: type)
    }
    return try Content(bytes, as: type, of: objectType, in: schema)
  }

  /// - Parameter content: The content of endpoints that read one; nil: it is none that anybody can read.
  ///
  /// Throws ``GroupError/severalShards`` and ``APIError/notAcceptable(offers:)``.
  func target(of request: Request, _ content: Content?) throws -> Target {
    switch endpoint {
    case .applyObjectType: return .each(shards)
    case .readObjectType: return .one(shards.count - 1)
    case .findObjects, .queryObjects, .runQuery, .readChanges: return .merged
    case .createObjects: return try creations(of: content, request)
    case .patchObjects, .deleteObjects:
      return .parts(try ShardedWrite(request, inEach: shards, to: endpoint))
    case .runTransaction:
      guard case .document(let members)? = content?.value,
        case .array(let operations)? = members["operations"]
      else { return .one(0) }
      let found = Set(operations.map(key).compactMap(shard))
      guard found.count <= 1 else { throw GroupError.severalShards }
      return .one(found.first ?? anyShard(for: request))
    case .runDataAction:
      guard case .document(let members)? = content?.value else { return .one(0) }
      return try target(ofCommand: captures.last ?? "", members, in: members, request)
    case .callAppFunction:
      guard case .document(let members)? = content?.value, case .string(let name)? = members["name"],
        case .array(let arguments)? = members["arguments"], case .document(let command)? = arguments.first
      else { return .one(0) }
      return try target(ofCommand: name, command, in: members, request)
    case .streamAppFunction:
      guard case .document(let members)? = request.commandInURL, case .string(let name)? = members["name"],
        case .array(let arguments)? = members["arguments"], case .document(let command)? = arguments.first
      else { return .one(0) }
      if name == "watch" { return .merged }
      switch try target(ofCommand: name, command, in: members, request) {
      case .one(let shard): return .one(shard)
      case .merged: return .merged
      // Shards are sent commands in contents of requests.
      case .each, .parts, .command: throw GroupError.severalShards
      }
    case .createTicket:
      // It is for the stream of a class or of an object, which are opened for a moment.
      guard case .document(let members)? = content?.value, case .string(let url)? = members["url"],
        let path = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first,
        let segments = try? GatehouseHTTP.Target(path: String(path), query: nil).segments(),
        segments.count > 2
      else { throw GroupError.severalShards }
      return segments.count == 3 ? .merged : .one(shard(ofObject: segments[3], of: segments[2]))
    default:
      guard endpoint.template.hasPrefix(ShardRouter.object) else { throw GroupError.severalShards }
      return .one(shard(ofObject: captures[1], of: captures[0]))
    }
  }

  /// Returns the shard of an object that a path names; any, where it names none that there can be.
  private func shard(ofObject text: String, of name: String) -> Int {
    schema[name].flatMap { try? $0.identifier(fromText: text) }.flatMap(shard) ?? 0
  }

  /// Returns the shard of a command of MongoDB's language, where it is about a document that it names, or all where it only reads.
  private func target(
    ofCommand name: String, _ members: Document, in content: Document, _ request: Request
  ) throws -> Target {
    guard NamedClasses.ofCommand(.document(members)).count == 1,
      case .string(let collection)? = members["collection"]
    else { throw GroupError.severalShards }
    let several = { () throws -> Target in
      // A shard says why it is none, or of none.
      guard let type = schema[collection], let command = try? DataCommand(name, members) else {
        return .one(0)
      }
      return .command(
        try ShardedCommand(
          command, members, in: content, of: request, on: type, by: self))
    }
    switch name {
    case "insertOne", "insertMany":
      var documents = members["document"].map { [$0] } ?? []
      if case .array(let several)? = members["documents"] { documents += several }
      let ids = documents.map {
        if case .document(let members) = $0 { members["_id"] } else { nil as Value? }
      }
      let found = Set(ids.map { shard(of: $0.flatMap { identifier($0, collection) }) ?? -1 })
      guard found.count <= 1 else { return try several() }
      return .one(found.first.flatMap { $0 < 0 ? nil : $0 } ?? anyShard(for: request))
    default:
      if case .document(let filter)? = members["query"] ?? members["filter"], var id = filter["_id"] {
        if case .document(let operators) = id, operators.elements.count == 1, let equal = operators["$eq"] {
          id = equal
        }
        if let shard = shard(of: identifier(id, collection)) { return .one(shard) }
      }
      if name == "deleteMany" || name == "updateMany" && members["upsert"].map({ $0 == .bool(false) }) ?? true
      {
        return .parts(try ShardedWrite(request, inEach: shards, to: endpoint))
      }
      return ["find", "findOne", "count", "distinct", "aggregate"].contains(name) ? .merged : try several()
    }
  }

  /// Returns the one shard of all objects, or each that some of them are of. What is wrong with one of them is told by one shard, which knows all
  /// of them, before any is made.
  private func creations(of content: Content?, _ request: Request) throws -> Target {
    let values: [Value]
    switch content {
    case nil: return .one(anyShard(for: request))
    case .one(let value)?: values = [value]
    case .many(let several, _)?: values = several
    }
    let found = values.map { shard(of: key(of: $0, captures[0])) }
    // Objects of which nobody names the key are in one shard, which gives them some that it may have.
    let named = Set(found.compactMap(\.self))
    let other = named.count == 1 ? named.first ?? 0 : anyShard(for: request)
    let places = Dictionary(grouping: values.indices) { found[$0] ?? other }
    guard case .many(_, let form)? = content, places.count > 1, let type = schema[captures[0]],
      case let mode = request.target.value(of: "mode"),
      (try? content?.drafts(of: type, in: schema, mode: mode ?? "error" == "error" ? .create : .update))
        != nil
    else { return .one(other) }
    precondition(
      places.values.reduce(0) { $0 + $1.count } == values.count
        && places.keys.allSatisfy(shards.indices.contains),
      "each object is made in one shard")
    let parts = places.sorted { $0.key < $1.key }.map { number, indices in
      let bytes = Value.array(indices.map { values[$0] }).extendedJSON
      return ShardedWrite.Part(
        gateway: shards[number], request: ShardedWrite.part(of: request, bytes, as: .json, to: endpoint),
        places: indices.map { ($0, form.place(of: $0)) })
    }
    return .parts(try ShardedWrite(parts, of: request, to: endpoint))
  }

  private func shard(of key: Mixed?) -> Int? {
    key.map { ShardKey.shard(of: $0, among: shards.count) }
  }

  /// Returns a shard for objects of which nobody names the key: any, but the same one if the request comes again.
  private func anyShard(for request: Request) -> Int {
    guard let key = request.fields["idempotency-key"] else { return .random(in: shards.indices) }
    return ShardKey.shard(of: .string(key), among: shards.count)
  }

  /// Returns the key of the object that an operation of a transaction is about; nil: it names none, or is none.
  private func key(of operation: Value) -> Mixed? {
    guard case .document(let members) = operation, case .string(let name)? = members["class"] else {
      return nil
    }
    if let id = members["id"] { return identifier(id, name) }
    return members["value"].flatMap { key(of: $0, name) }
  }

  private func key(of object: Value, _ name: String) -> Mixed? {
    guard case .document(let members) = object, let key = schema[name]?.primaryKey,
      let value = members[key.name]
    else { return nil }
    return identifier(value, name)
  }

  private func identifier(_ value: Value, _ name: String) -> Mixed? {
    guard let type = schema[name] else { return nil }
    if value == .null { return .null }
    return try? type.identifier(from: value, in: schema)
  }
}
