import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage

// The node of a cluster that the server is, for its operators.
extension Feature {
  static let cluster = Feature(endpoints: [.readCluster, .stand, .stepDown, .compareStores, .copyStore])
}

extension Endpoint {
  /// The state of the node that was asked.
  static let readCluster = Endpoint(
    "readCluster", .get("/v1/cluster").answered(by: .asked), answers: MediaType.forOne,
    requires: .administration, using: \.server
  ) { call, server in
    Response(cluster: try server.joinedCluster, server, as: call.mediaType)
  }

  /// The node leads before all others once nobody does.
  static let stand = Endpoint(
    "standToLead", .post("/v1/cluster/stand", reads: ContentType.ofValues).answered(by: .asked),
    answers: MediaType.forOne, requires: .administration, using: \.server
  ) { call, server in
    let app = try await call.namedApp()
    let cluster = try server.joinedCluster
    try await cluster.administration.stand(app)
    return Response(cluster: cluster, server, as: call.mediaType)
  }

  /// Another node leads, where there is one.
  static let stepDown = Endpoint(
    "stepDown", .post("/v1/cluster/step-down", reads: ContentType.ofValues).answered(by: .asked),
    answers: MediaType.forOne, requires: .administration, using: \.server
  ) { call, server in
    let app = try await call.namedApp()
    let cluster = try server.joinedCluster
    try await cluster.administration.stepDown(app)
    return Response(cluster: cluster, server, as: call.mediaType)
  }

  /// Every node makes a digest of its store, at the same place of the log.
  static let compareStores = Endpoint(
    "compareStores", .post("/v1/cluster/digests", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .administration, using: \.server
  ) { call, server in
    try await call.requireNothing()
    let comparison = try await server.joinedCluster.administration.compare()
    let document: Document = ["comparison": .string(comparison)]
    return Response(
      status: .accepted, content: call.mediaType.bytes(of: .document(document)), call.mediaType)
  }

  /// The store's file as it is at one moment.
  static let copyStore = Endpoint(
    "copyStore", .get("/v1/cluster/snapshot").answered(by: .asked), requires: .administration,
    using: \.server
  ) { _, server in
    try await server.joinedCluster.administration.snapshot()
  }
}

extension Call {
  /// The app that the content names: `{"app": "shop"}`; nil: `{}`. Throws ``APIError/invalidMembers(_:)``.
  fileprivate func namedApp() async throws -> String? {
    guard case .document(let members) = try await value(),
      members.elements.allSatisfy({ $0.key == "app" })
    else { throw APIError.invalidMembers([MemberError(pointer: "", rule: .unknownMember)]) }
    switch members["app"] {
    case nil: return nil
    case .string(let name): return name
    default: throw APIError.invalidMembers([MemberError(pointer: "/app", rule: .wrongType)])
    }
  }

  /// Throws ``APIError/invalidMembers(_:)`` where the content is anything but a document without members.
  fileprivate func requireNothing() async throws {
    guard case .document(let members) = try await value(), members.elements.isEmpty else {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .unknownMember)])
    }
  }
}

extension ServerStatus {
  /// Throws ``APIError/noCluster``.
  fileprivate var joinedCluster: ClusterAccess {
    get throws(APIError) {
      guard let cluster else { throw .noCluster }
      return cluster
    }
  }
}

extension Response {
  fileprivate init(cluster: ClusterAccess, _ server: ServerStatus, as mediaType: MediaType) {
    let (report, standing) = (cluster.administration.report(), cluster.standing())
    var document: Document = [
      "node": .string(report.node), "role": .string(report.role),
      "leader": standing.leader.map { Value.string($0) } ?? Value.null,
      "epoch": .int64(Int64(clamping: report.epoch)),
      "position": .int64(Int64(clamping: report.position)), "version": .int64(server.data.store.version),
    ]
    document.append("fresh", .bool(standing.isFresh))
    document.append("lease", .bool(standing.hasLease))
    document.append("digest", report.digest.map { .document(Document($0)) } ?? .null)
    document.append("apps", .array(cluster.administration.apps().map { .document(Document($0)) }))
    self.init(status: .ok, content: mediaType.bytes(of: .document(document)), mediaType)
    fields.append("cache-control", "no-store")
  }
}

extension Document {
  fileprivate init(_ app: ClusterAccess.AppState) {
    self = [
      "name": .string(app.name), "role": .string(app.report.role),
      "leader": app.standing.leader.map { Value.string($0) } ?? Value.null,
      "epoch": .int64(Int64(clamping: app.report.epoch)),
      "position": .int64(Int64(clamping: app.report.position)), "version": .int64(app.version),
      "fresh": .bool(app.standing.isFresh),
    ]
  }

  fileprivate init(_ digest: ClusterAccess.Digest) {
    self = [
      "comparison": .string(digest.comparison), "version": .int64(digest.version),
      "sha256": digest.sha256.map { Value.string($0) } ?? Value.null,
    ]
  }
}
