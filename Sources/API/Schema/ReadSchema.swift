import GatehouseBSON
import GatehouseHTTP
import GatehouseModel

extension Endpoint {
  static let readSchema = Endpoint(
    "readSchema", .get("/v1/schema", parameters: [.format]), answers: MediaType.forOne, requires: .someRole
  ) { call in
    guard let text = call.parameters[.format] else { return ReadSchema(call).answer(for: call.schema) }
    return try DescribeClasses(call, format: text).answer()
  }

  static let readObjectType = Endpoint(
    "readObjectType", .get("/v1/schema/{class}"), answers: MediaType.forOne, requires: .someRole
  ) { call in try ReadSchema(objectTypeOf: call).answer(for: call.schema) }
}

/// GET of the schema, or of one class.
struct ReadSchema: Sendable {
  /// Nil: all classes.
  private let objectType: ObjectType?
  private let mediaType: MediaType

  init(_ call: Call) {
    objectType = nil
    mediaType = call.mediaType
  }

  init(objectTypeOf call: Call) throws {
    objectType = try call.objectType()
    mediaType = call.mediaType
  }

  func answer(for schema: Schema) -> Response {
    Response(status: .ok, content: mediaType.bytes(of: objectType?.notation ?? schema.notation), mediaType)
  }
}
