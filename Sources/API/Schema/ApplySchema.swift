import BSON
import HTTP
import Model
import Storage

/// PUT of the schema, or of one class of it.
struct ApplySchema: Sendable {
  let schema: Schema
  let isDestructive: Bool
  let renames: [PropertyRename]
  /// Nil: all classes. Else ``schema`` is the present one with the class in it, and holds as long as that does.
  let objectType: ObjectType?
  private let isNew: Bool
  private let returnsMinimal: Bool
  private let mediaType: MediaType

  init(_ call: Call, limit: Int) async throws {
    let notation: Value =
      switch try await call.content(limit: limit) {
      case .many(let classes, _): .array(classes)
      // BSON has no arrays outside documents: one class is a schema of one.
      case .one(let value) where call.contentType == .bson: .array([value])
      case .one(let value): value
      }
    try self.init(call, schema: Schema(notation: notation), objectType: nil)
  }

  init(objectTypeOf call: Call, limit: Int) async throws {
    let objectType = try ObjectType(notation: try await call.value(limit: limit).named(call.className))
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

  func response(for outcome: SchemaOutcome) -> Response {
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
