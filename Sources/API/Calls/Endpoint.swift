import GatehouseHTTP

/// One operation of the API: how it is asked for, what it takes, whom it is for, what is recorded of it, and how it
/// is answered.
///
/// Each is declared in the file that answers it and listed by the ``Feature`` of its folder. A class, so that handing
/// it on copies one reference.
final class Endpoint: Sendable {
  /// The `operationId` in `openapi/openapi.yaml`.
  let name: String
  let request: RequestForm
  /// The media types in which it answers, the default first; empty where it answers in one that is its own.
  let answers: [MediaType]
  let requires: Requirement
  let records: AuditTrace
  /// Decodes a call, does what it asks for and encodes the answer.
  let respond: @Sendable (Call, Context) async throws -> Response

  /// - Parameter part: The part of the context that `respond` gets; it sees no other.
  init<Part>(
    _ name: String, _ request: RequestForm, answers: [MediaType] = [], requires: Requirement,
    records: AuditTrace = .nothing, using part: @escaping @Sendable (Context) -> Part,
    respond: @escaping @Sendable (Call, Part) async throws -> Response
  ) {
    self.name = name
    self.request = request
    self.answers = answers
    self.requires = requires
    self.records = records
    self.respond = { call, context in try await respond(call, part(context)) }
  }

  /// Makes an endpoint that needs the call only.
  convenience init(
    _ name: String, _ request: RequestForm, answers: [MediaType] = [], requires: Requirement,
    records: AuditTrace = .nothing, respond: @escaping @Sendable (Call) async throws -> Response
  ) {
    self.init(
      name, request, answers: answers, requires: requires, records: records, using: { _ in },
      respond: { call, _ in try await respond(call) })
  }

  var method: Method { request.method }
  var template: String { request.template }
  /// The query parameters that it understands; any other one is refused.
  var parameters: [Parameters.Name] { request.parameters }
  /// The node of a cluster that answers it.
  var node: AnsweringNode { request.node }
  /// The media types that it reads; empty where requests have no content.
  var reads: [ContentType] { request.reads }
}

extension Endpoint: Hashable, CustomStringConvertible {
  static func == (left: Endpoint, right: Endpoint) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var description: String { name }
}

/// The form of requests to an endpoint.
struct RequestForm: Sendable {
  let method: Method
  /// Segments in braces stand for anything, `{path}` at the end for one or more, and so does `{route}`, which leaves paths to
  /// templates that have literals in its place.
  let template: String
  let parameters: [Parameters.Name]
  let reads: [ContentType]
  /// Whether requests may have any parameters, and content of any media type: an operator's function says what they mean.
  let isOpen: Bool
  /// The node of a cluster that answers.
  let node: AnsweringNode

  /// - Parameter node: Nil: one that is asked to read, and the leader where something may be written.
  init(
    method: Method, template: String, parameters: [Parameters.Name], reads: [ContentType],
    isOpen: Bool = false, node: AnsweringNode? = nil
  ) {
    (self.method, self.template, self.parameters) = (method, template, parameters)
    (self.reads, self.isOpen) = (reads, isOpen)
    // A function may write whatever it is called by.
    self.node = node ?? (!isOpen && (method == .get || method == .query) ? .replica : .leader)
  }

  /// The same form, answered by another node of a cluster.
  func answered(by node: AnsweringNode) -> RequestForm {
    RequestForm(
      method: method, template: template, parameters: parameters, reads: reads, isOpen: isOpen, node: node)
  }

  /// A form for whatever an operator's function takes.
  static func any(_ method: Method, _ template: String) -> RequestForm {
    RequestForm(method: method, template: template, parameters: [], reads: [], isOpen: true)
  }

  static func get(_ template: String, parameters: [Parameters.Name] = []) -> RequestForm {
    RequestForm(method: .get, template: template, parameters: parameters, reads: [])
  }

  static func delete(_ template: String, parameters: [Parameters.Name] = []) -> RequestForm {
    RequestForm(method: .delete, template: template, parameters: parameters, reads: [])
  }

  static func put(
    _ template: String, parameters: [Parameters.Name] = [], reads: [ContentType]
  ) -> RequestForm {
    RequestForm(method: .put, template: template, parameters: parameters, reads: reads)
  }

  static func post(
    _ template: String, parameters: [Parameters.Name] = [], reads: [ContentType]
  ) -> RequestForm {
    RequestForm(method: .post, template: template, parameters: parameters, reads: reads)
  }

  static func patch(
    _ template: String, parameters: [Parameters.Name] = [], reads: [ContentType]
  ) -> RequestForm {
    RequestForm(method: .patch, template: template, parameters: parameters, reads: reads)
  }

  /// RFC 10008.
  static func query(
    _ template: String, parameters: [Parameters.Name] = [], reads: [ContentType]
  ) -> RequestForm {
    RequestForm(method: .query, template: template, parameters: parameters, reads: reads)
  }
}

/// The node of a cluster that answers a request.
enum AnsweringNode: Sendable {
  /// The one that was asked, in any state: it is about the node itself.
  case asked
  /// The one that was asked, where it knows what has been written lately.
  case replica
  /// The one that takes writes.
  case leader
}
