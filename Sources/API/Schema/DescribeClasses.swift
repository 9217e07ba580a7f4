import GatehouseHTTP

/// GET of the schema in a form that is for tools.
struct DescribeClasses: Sendable {
  private let document: ClassesDocument
  private let format: ClassesDocument.Format

  /// - Parameter format: The parameter of that name.
  init(_ call: Call, format text: String) throws(APIError) {
    guard let format = ClassesDocument.Format(rawValue: text) else { throw .invalidParameter(.format) }
    guard call.mediaType == .json else { throw .notAcceptable(offers: [.json]) }
    self.format = format
    document = ClassesDocument(call.schema, permit: call.permit)
  }

  func answer() -> Response {
    Response(status: .ok, content: MediaType.json.bytes(of: document.value(as: format)), .json)
  }
}
