import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension Endpoint {
  /// Whether the parameter `at` names a version of the store, and not a place in a list.
  var readsPast: Bool { (method == .get || method == .query) && parameters.contains(.at) }
}

extension Call {
  /// The call of the store as it was, where it has the parameter `at`.
  func ofPast(_ data: DataAccess) throws -> Call {
    guard endpoint.readsPast, let text = parameters[.at] else { return self }
    // Entity tags are those of the present.
    try Preconditions(request.fields).refuse()
    let own = scope.isOfAllShards ? try ShardVersions.moment(of: data.place?.shard ?? 0, in: text) : text
    guard let moment = own.flatMap(Moment.init) else { throw APIError.invalidParameter(.at) }
    if case .time(let time) = moment, time > .now { throw StorageError.versionAhead }
    let classes =
      endpoint.template.contains("{class}")
      ? schema.classes(around: try collectionType().name) : Set(schema.objectTypes.map(\.name))
    return Call(
      self,
      in: PastView(
        version: try data.reader.version(at: moment), classes: classes,
        conditions: permit?.visibility?.conditions ?? [:], generation: generation))
  }
}

extension Moment {
  /// Reads a version, a time as in JSON, or `now`.
  fileprivate init?(_ text: String) {
    if text == "now" {
      self = .present
    } else if let position = LogPosition(text: text), position == LogPosition(version: position.version) {
      self = .version(position.version)
    } else {
      let bytes = Array(text.utf8)
      guard let time = unsafe bytes.withUnsafeBufferPointer({ unsafe Date(text: $0) }) else { return nil }
      self = .time(time)
    }
  }
}
