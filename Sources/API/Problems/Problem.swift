import GatehouseBSON
import GatehouseHTTP

/// An error as a client sees it (RFC 9457). The one place that knows which status an error has.
struct Problem: Hashable, Sendable {
  let code: Code
  /// The sentence that says what happened. Never a value that a client sent, nor a token.
  let detail: String
  /// The single mistakes, each with its place.
  var errors: [Entry] = []
  /// Fields that the status asks for, such as Allow.
  var fields: [Fields.Line] = []
  /// Members beside those that every problem has.
  var members = Document()

  init(_ code: Code, _ detail: String, errors: [Entry] = [], fields: [Fields.Line] = []) {
    self.code = code
    self.detail = detail
    self.errors = errors
    self.fields = fields
  }

  func response(to request: Request) -> Response {
    var document: Document = [
      "type": .string("about:blank"), "title": .string("\(code.status.reason)"),
      "status": .int32(Int32(code.status.rawValue)), "detail": .string(summary),
      "code": .string(code.rawValue), "requestId": .string(request.id.description),
    ]
    if code.isOfQuery, let entry = errors.first {
      // There is but one: so it is told without a look into `errors`.
      entry.appendPlace(to: &document)
      entry.expectation.append(to: &document)
    }
    for member in members.elements { document.append(member.key, member.value) }
    if !errors.isEmpty { document.append("errors", .array(errors.map(\.value))) }
    var response = Response(status: code.status, body: .bytes(Value.document(document).plainJSON))
    response.fields.append("content-type", "application/problem+json")
    for line in fields { response.fields.append(line) }
    if code.status == .serviceUnavailable { response.fields.append("retry-after", "1") }
    return response
  }

  /// The detail, and the first of the single mistakes with its place: many clients show nothing else.
  var summary: String {
    guard let first = errors.first, first.detail != detail else { return detail }
    let others = errors.count - 1
    return "\(detail) \(first.located)" + (others > 0 ? " \(others) more in “errors”." : "")
  }
}

extension Problem.Entry {
  /// The sentence with its place, as far as the detail of the problem has it not: `Line 3, /0/population: …`
  fileprivate var located: String {
    switch place {
    case .content, .parameter, .header: detail
    case .pointer(let pointer, let line):
      [line.map { "Line \($0)" }, pointer.isEmpty ? nil : pointer].compactMap(\.self).joined(separator: ", ")
        .asPlace + detail
    case .schema(let objectType, let property):
      [objectType, property].compactMap(\.self).joined(separator: ".").asPlace + detail
    }
  }
}

extension String {
  /// The place in front of a sentence; nothing where it is empty.
  fileprivate var asPlace: String { isEmpty ? "" : "\(self): " }
}
