import BSON
import HTTP

/// GET of the collections: every class and how many objects it has.
struct CountObjects: Sendable {
  private let mediaType: MediaType

  init(_ call: Call) {
    mediaType = call.mediaType
  }

  func response(for counts: [(objectType: String, count: Int)]) -> Response {
    let values = counts.map { count in
      Value.document(["class": .string(count.objectType), "count": .int64(Int64(count.count))])
    }
    return Response(status: .ok, content: mediaType.bytes(of: .array(values)), mediaType)
  }
}
