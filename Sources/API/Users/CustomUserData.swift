import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Synchronization

/// The custom data of users: what an operator gave them, or where a file says so the objects of a class.
final class CustomUserData: Sendable {
  private let source = Mutex<CustomDataSource?>(nil)
  /// The stores of the classes that are not in that of the users.
  private let groups = Mutex<[(ClassGroup, Store)]>([])

  /// Takes the data from that class from now on; nil: from the users themselves.
  func use(_ newSource: CustomDataSource?) { source.withLock { $0 = newSource } }

  /// Has the classes of groups be in these stores.
  func setStores(of newGroups: [(ClassGroup, Store)]) { groups.withLock { $0 = newGroups } }

  /// Whether it is of a class: then it is what it was when an access token was made, until the next one.
  var isOfClass: Bool { source.withLock { $0 != nil } }

  /// Returns the data of a user as it is now; that of no object, and one that is too large for a token, is empty.
  func data(of user: User, _ records: UserRecords) throws(StorageError) -> Document {
    guard let source = source.withLock({ $0 }) else { return user.customData }
    let stores = groups.withLock { $0.filter { $0.0.classes.contains(source.objectType) }.map(\.1) }
    if stores.isEmpty { return try data(of: user, source, in: records.reader) ?? [:] }
    // The object is in one of the shards.
    for store in stores {
      if let data = try data(of: user, source, in: store.makeReader()) { return data }
    }
    return [:]
  }

  /// Returns the data that a store has of a user; nil: it has no object of theirs.
  private func data(of user: User, _ source: CustomDataSource, in reader: Reader) throws(StorageError)
    -> Document?
  {
    let schema = reader.schemaState.schema
    guard let type = schema[source.objectType] else { return nil }
    let ids: [Value]
    if type.isSchemaless {
      ids = [.string(user.id.description), .objectID(user.id)]
    } else {
      guard let property = type.properties.first(where: { $0.name == source.property }) else { return nil }
      let isObjectID = if case .one(.objectID, _) = property.type { true } else { false }
      ids = [isObjectID ? .objectID(user.id) : .string(user.id.description)]
    }
    let filter = ids.indices.map { "\(source.property) == $\($0)" }.joined(separator: " OR ")
    let request = QueryRequest(filter: filter, arguments: ids, limit: 1)
    guard let plan = try? Plan(request: request, schema: schema, objectType: source.objectType) else {
      return nil
    }
    var bytes: [UInt8] = []
    _ = try reader.page(plan, as: .json, framing: .sequence, into: &bytes)
    if bytes.isEmpty { return nil }
    guard bytes.count <= UserToken.mostUserData,
      case .document(let data)? = try? Value(json: bytes, as: .plain)
    else {
      return [:]
    }
    return data
  }
}
