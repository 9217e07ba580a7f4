import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

/// Finds the shards of a group that a request is about: one, where it is about one object or some of one shard.
struct ShardRouter {
  enum Target {
    case one(Int)
    /// All, whose objects are put together.
    case merged
    /// One after the other.
    case each([Gateway])
  }

  let shards: [Gateway]
  let endpoint: Endpoint
  let captures: [String]

  private static let object = "/v1/collections/{class}/{id}"

  /// The schema of the first shard, which a change comes to first.
  private var schema: Schema { shards[0].context.data.reader.schemaState.0 }

  /// - Parameter content: The content of endpoints that read one; nil: it is none that anybody can read.
  ///
  /// Throws ``GroupError/severalShards``.
  func target(of request: Request, _ content: Value?) throws(GroupError) -> Target {
    switch endpoint {
    case .applyObjectType: return .each(shards)
    case .readObjectType: return .one(shards.count - 1)
    case .findObjects, .queryObjects, .runQuery:
      if endpoint.isForStream(request) { throw .severalShards }
      return .merged
    case .createObjects:
      let values = if case .array(let values)? = content { values } else { content.map { [$0] } ?? [] }
      return .one(try shard(of: values.map { key(of: $0, captures[0]) }, request))
    case .runTransaction:
      guard case .document(let members)? = content, case .array(let operations)? = members["operations"]
      else { return .one(0) }
      return .one(try shard(of: operations.map(key), request))
    default:
      guard endpoint.template.hasPrefix(ShardRouter.object) else { throw .severalShards }
      guard let type = schema[captures[0]], let id = try? type.identifier(fromText: captures[1]) else {
        return .one(0)
      }
      return .one(ShardKey.shard(of: id, among: shards.count))
    }
  }

  /// Returns the one shard of all keys. Where nobody names one, the shard gives one that it may have: any, but the same one if the request
  /// comes again.
  private func shard(of keys: [Mixed?], _ request: Request) throws(GroupError) -> Int {
    let found = Set(keys.compactMap { $0.map { ShardKey.shard(of: $0, among: shards.count) } })
    guard found.count <= 1 else { throw .severalShards }
    if let shard = found.first { return shard }
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
