import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension Endpoint {
  static let applySchema = Endpoint(
    "applySchema", .put("/v1/schema", parameters: [.destructive, .rename], reads: ContentType.ofValues),
    answers: MediaType.forOne, requires: .administration, records: .schemaChanges, using: \.data
  ) { call, data in
    try await ApplySchema(call, data).answer(call, data)
  }

  static let applyObjectType = Endpoint(
    "applyObjectType",
    .put("/v1/schema/{class}", parameters: [.destructive, .rename], reads: ContentType.ofValues),
    answers: MediaType.forOne, requires: .administration, records: .schemaChanges, using: \.data
  ) { call, data in
    try await ApplySchema(objectTypeOf: call, data).answer(call, data)
  }
}

/// PUT of the schema, or of one class of it.
struct ApplySchema: Sendable {
  private let schema: Schema
  private let isDestructive: Bool
  private let renames: [PropertyRename]
  /// Nil: all classes. Else ``schema`` is the present one with the class in it, and holds as long as that does.
  private let objectType: ObjectType?
  private let isNew: Bool
  private let returnsMinimal: Bool
  private let mediaType: MediaType

  init(_ call: Call, _ data: DataAccess) async throws {
    let notation: Value =
      switch try await call.content() {
      case .many(let classes, _): .array(classes)
      // BSON has no arrays outside documents: one class is a schema of one.
      case .one(let value) where call.contentType == .bson: .array([value])
      case .one(let value): value
      }
    if case .array(let notations) = notation {
      try data.place?.requireOwnLinks(in: notations)
      try data.place?.requireShardable(notations)
    }
    try self.init(call, schema: Schema(notation: notation), objectType: nil)
  }

  init(objectTypeOf call: Call, _ data: DataAccess) async throws {
    let notation = try await call.value().named(call.className)
    try data.place?.requireOwnLinks(in: [notation])
    try data.place?.requireShardable([notation] + call.schema.objectTypes.map(\.notation))
    let objectType = try ObjectType(notation: notation)
    guard objectType.name == call.className else { throw APIError.classNameMismatch }
    var types = call.schema.objectTypes
    if let index = types.firstIndex(where: { $0.name == objectType.name }) {
      types[index] = objectType
    } else {
      types.append(objectType)
    }
    try self.init(call, schema: Schema(validating: types), objectType: objectType)
  }

  private init(_ call: Call, schema: Schema, objectType: ObjectType?) throws {
    try Preconditions(call.request.fields).refuse()
    self.schema = schema
    self.objectType = objectType
    isDestructive = try call.parameters.flag(.destructive)
    renames = try (call.parameters[.rename]?.split(separator: ",") ?? []).map { text in
      guard let rename = PropertyRename(text: text) else { throw APIError.invalidParameter(.rename) }
      return rename
    }
    isNew = objectType.map { call.schema[$0.name] == nil } ?? false
    returnsMinimal = call.preferences.returnsMinimal
    mediaType = call.mediaType
  }

  /// Applies the schema. One class of it holds only as long as the others are those that it was made with.
  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    let outcome = try await data.store.apply(
      schema, destructive: isDestructive, renames: SchemaRenames(properties: renames),
      generation: objectType.map { _ in call.generation },
      hook: try await hook(call, data))
    return response(for: outcome)
  }

  /// Returns the hook that records the change in its transaction; nil: nothing is recorded.
  private func hook(_ call: Call, _ data: DataAccess) async throws -> CommitHook? {
    guard let recorder = data.audit.recorder, recorder.policy.events.contains(.schema) else { return nil }
    // A schema without the class of the trail does not change it.
    let changes = call.schema.withoutTrail.difference(to: schema.withoutTrail).changes.map(\.description)
    return try await recorder.schemaHook(
      changes, activity: call.request.fields["audit-activity"] ?? call.endpoint.name,
      adding: data.audit.details(of: call.request, by: call.principal))
  }

  private func response(for outcome: SchemaOutcome) -> Response {
    let notation = objectType?.notation ?? schema.notation
    var response = Response(
      status: isNew ? .created : .ok, content: returnsMinimal ? nil : mediaType.bytes(of: notation), mediaType
    )
    if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    response.fields.append(realmVersion: outcome.version)
    return response
  }
}

extension Value {
  /// The document with a `name`, where it has none: the path names the class already.
  fileprivate func named(_ name: String) -> Value {
    guard case .document(var document) = self, document["name"] == nil else { return self }
    document.elements.insert(Document.Element(key: "name", value: .string(name)), at: 0)
    return .document(document)
  }
}
