import BSON
import HTTP
import Model

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

  func response(for schema: Schema) -> Response {
    Response(status: .ok, content: mediaType.bytes(of: objectType?.notation ?? schema.notation), mediaType)
  }
}
