import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel

extension Feature {
  /// The databases beside the default one, for the administrators of that.
  static let apps = Feature(endpoints: [
    .listApps, .createApp, .readApp, .changeApp, .deleteApp, .putAppGroup, .deleteAppGroup,
  ])
}

extension Endpoint {
  private static let app = "/v1/apps/{app}"

  static let listApps = Endpoint(
    "listApps", .get("/v1/apps"), answers: MediaType.forOne, requires: .administration, using: \.server
  ) { call, server in
    let apps = try await server.requireApps().list()
    return Response(.array(apps.map { .document($0.notation) }), as: call.mediaType)
  }

  static let createApp = Endpoint(
    "createApp", .post("/v1/apps", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .administration, records: .appChanges, using: \.server
  ) { call, server in
    let name = try await call.appName()
    let apps = try server.requireApps()
    try await server.record(["app": .string(name)], of: call)
    let (app, key) = try await apps.create(name)
    var document = app.notation
    document.append("key", .string(key))
    var response = Response(.document(document), as: call.mediaType)
    response.status = .created
    response.fields.append("location", "/v1/apps/\(app.name)")
    return response
  }

  static let readApp = Endpoint(
    "readApp", .get(app), answers: MediaType.forOne, requires: .administration, using: \.server
  ) { call, server in
    Response(.document(try await server.requireApps().read(call.captured).notation), as: call.mediaType)
  }

  static let changeApp = Endpoint(
    "changeApp", .patch(app, reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .administration, records: .appChanges, using: \.server
  ) { call, server in
    let settings = try await call.appSettings()
    let apps = try server.requireApps()
    // Their values may be secrets.
    let names = settings.elements.map { Value.string($0.key) }
    try await server.record(["app": .string(call.captured), "settings": .array(names)], of: call)
    let changed = try await apps.change(call.captured, settings)
    return Response(.document(changed.notation), as: call.mediaType)
  }

  static let deleteApp = Endpoint(
    "deleteApp", .delete(app, parameters: [.confirm]), requires: .administration, records: .appChanges,
    using: \.server
  ) { call, server in
    let apps = try server.requireApps()
    guard call.parameters[.confirm] == call.captured else { throw AppError.unconfirmed }
    try await server.record(["app": .string(call.captured)], of: call)
    try await apps.remove(call.captured)
    return Response(status: .noContent)
  }
}

extension Endpoint {
  private static let group = "/v1/apps/{app}/groups/{group}"

  static let putAppGroup = Endpoint(
    "putAppGroup", .put(group, reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .administration, records: .appChanges, using: \.server
  ) { call, server in
    let (classes, shards) = try await call.groupMembers()
    let groups = try server.requireApps().groups
    var members: Document = [
      "app": .string(call.captured), "group": .string(call.lastCaptured),
      "classes": .array(classes.sorted().map { .string($0) }),
    ]
    if let shards { members.append("shards", .int64(Int64(shards))) }
    try await server.record(members, of: call)
    let app = try await groups.put(call.lastCaptured, call.captured, classes, shards)
    return Response(.document(app.notation), as: call.mediaType)
  }

  static let deleteAppGroup = Endpoint(
    "deleteAppGroup", .delete(group, parameters: [.confirm]), requires: .administration, records: .appChanges,
    using: \.server
  ) { call, server in
    let isConfirmed = call.parameters[.confirm] == call.lastCaptured
    let groups = try server.requireApps().groups
    try await server.record(
      ["app": .string(call.captured), "group": .string(call.lastCaptured)], of: call)
    try await groups.remove(call.lastCaptured, call.captured, isConfirmed)
    return Response(status: .noContent)
  }
}

extension ServerStatus {
  /// Throws ``APIError/routeNotFound`` in an app, which has none in it.
  fileprivate func requireApps() throws(APIError) -> AppAdministration {
    guard let apps else { throw .routeNotFound }
    return apps
  }

  /// Records that an app is about to be made, changed or removed, where the policy says so.
  fileprivate func record(_ members: Document, of call: Call) async throws {
    let audit = data.audit
    guard let recorder = audit.recorder, recorder.policy.events.contains(.administration) else { return }
    var document: Document = ["method": .string(call.request.method.rawValue)]
    document.elements += members.elements
    try await recorder.record(
      .administration, activity: call.request.fields["audit-activity"] ?? call.endpoint.name,
      data: String(decoding: Value.document(document).plainJSON, as: UTF8.self),
      adding: audit.details(of: call.request, by: call.principal))
  }
}

extension Call {
  /// The name in the content: `{"name": "shop"}`.
  fileprivate func appName() async throws -> String {
    guard case .string(let name) = try await onlyMember("name") else {
      throw APIError.invalidMembers([MemberError(pointer: "/name", rule: .wrongType)])
    }
    return name
  }

  /// The settings in the content: `{"settings": {"functions.workers": 4, "audit": null}}`.
  fileprivate func appSettings() async throws -> Document {
    guard case .document(let settings) = try await onlyMember("settings") else {
      throw APIError.invalidMembers([MemberError(pointer: "/settings", rule: .wrongType)])
    }
    return settings
  }

  /// The classes in the content, and the number of shards: `{"classes": ["Order"], "shards": 4}`.
  fileprivate func groupMembers() async throws -> (classes: Set<String>, shards: Int?) {
    let members = try await members("classes", optional: ["shards"])
    var shards: Int?
    switch members["shards"] {
    case nil: break
    case .int32(let number)?: shards = Int(number)
    case .int64(let number)?: shards = Int(exactly: number)
    case _?: throw APIError.invalidMembers([MemberError(pointer: "/shards", rule: .wrongType)])
    }
    if let shards, !ShardKey.counts.contains(shards) { throw GroupError.invalidShards }
    guard case .array(let values)? = members["classes"] else {
      throw APIError.invalidMembers([MemberError(pointer: "/classes", rule: .wrongType)])
    }
    guard (1...ClassGroup.mostClasses).contains(values.count) else { throw GroupError.invalidClasses }
    var classes: Set<String> = []
    for value in values {
      guard case .string(let name) = value, Schema.isLegal(className: name), name != StoredEvent.className,
        classes.insert(name).inserted
      else { throw GroupError.invalidClasses }
    }
    return (classes, shards)
  }

  private func onlyMember(_ name: String) async throws -> Value {
    guard let value = try await members(name)[name] else { preconditionFailure("a member that is there") }
    return value
  }

  /// The members of the content, of which one must be there.
  private func members(_ name: String, optional: [String] = []) async throws -> Document {
    guard case .document(let members) = try await value() else {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .wrongType)])
    }
    if members.elements.contains(where: { $0.key != name && !optional.contains($0.key) }) {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .unknownMember)])
    }
    if members[name] == nil {
      throw APIError.invalidMembers([MemberError(pointer: "/\(name)", rule: .missing)])
    }
    return members
  }
}

extension AppSummary {
  fileprivate var notation: Document {
    var document: Document = [
      "name": .string(name), "open": .bool(isOpen), "bytes": .int64(Int64(size)),
      "settings": .document(settings),
    ]
    let groups = groups.map { group in
      var document: Document = [
        "name": .string(group.group.name),
        "classes": .array(group.group.classes.sorted().map { .string($0) }),
        "bytes": .int64(Int64(group.size)),
      ]
      if let shards = group.group.shards { document.append("shards", .int64(Int64(shards))) }
      return Value.document(document)
    }
    document.append("groups", .array(groups))
    if let failure { document.append("failure", .string(failure)) }
    return document
  }
}

extension Response {
  fileprivate init(_ value: Value, as mediaType: MediaType) {
    self.init(status: .ok, content: mediaType.bytes(of: value), mediaType)
    fields.append("cache-control", "no-store")
  }
}
