import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension Endpoint {
  /// As an event stream: everything, watched.
  static let countObjects = Endpoint(
    "countObjects", .get("/v1/collections", parameters: [.since, .values, .at]),
    answers: MediaType.forCounts, requires: .permit, records: .reads, using: \.events
  ) { call, events in
    if call.mediaType == .eventStream { return try await Subscribe(toAllOf: call).answer(call, events) }
    return try await CountObjects(call).answer(call, events.data)
  }
}

/// GET of the collections: every class and how many objects it has.
struct CountObjects: Sendable {
  private let mediaType: MediaType

  init(_ call: Call) {
    mediaType = call.mediaType
  }

  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    var counts: [(objectType: String, count: Int)] = []
    let isOfOne = call.scope.isOfNamedGroup
    for (call, data) in [(call, data)] + (try data.callsInOtherGroups(call)) {
      // Requests for a class go to its group. Another database may have had it before, and each has a trail of its own.
      for count in try await CountObjects.counts(for: call, data)
      where isOfOne || data.place?.contains(count.objectType) != false {
        // Each shard has a part of the objects of its classes.
        if let index = counts.firstIndex(where: { $0.objectType == count.objectType }) {
          counts[index].count += count.count
        } else {
          counts.append(count)
        }
      }
    }
    return response(for: counts)
  }

  /// Returns the classes of which the caller may see objects, and how many those are.
  private static func counts(
    for call: Call, _ data: DataAccess
  ) async throws -> [(objectType: String, count: Int)] {
    guard let permit = call.permit else { return try await data.read(for: call) { try $0.counts() } }
    return try await data.read(for: call) { try counts(from: $0, for: permit, in: call.schema) }
  }

  private static func counts(
    from reader: Reader, for permit: Permit, in schema: Schema
  ) throws -> [(objectType: String, count: Int)] {
    var counts: [(objectType: String, count: Int)] = []
    for (name, count) in try reader.counts() {
      switch permit[name].read {
      case .none: continue
      case .all: counts.append((name, count))
      case .some(let predicate):
        var plan = try Plan(request: QueryRequest(), schema: schema, objectType: name)
        plan.predicate = predicate
        counts.append((name, try reader.count(plan)))
      }
    }
    return counts
  }

  private func response(for counts: [(objectType: String, count: Int)]) -> Response {
    let values = counts.map { count in
      Value.document(["class": .string(count.objectType), "count": .int64(Int64(count.count))])
    }
    return Response(status: .ok, content: mediaType.bytes(of: .array(values)), mediaType)
  }
}
