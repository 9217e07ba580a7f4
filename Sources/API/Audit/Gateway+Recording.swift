import Access
import Audit
import BSON
import Functions
import HTTP
import Model
import Storage

extension Gateway {
  /// Whether anything of a request may have to be recorded.
  func isRecorded(_ request: Request) -> Bool {
    recorder?.policy.always.isEmpty == false || request.fields.contains("audit-activity")
      || request.fields.contains("audit-scope")
  }

  /// What records a request; nil: nothing of it is to be recorded after all.
  func recording(
    of request: Request, by principal: Principal, _ endpoint: Endpoint
  ) async throws -> Recording? {
    guard let recorder else { throw AuditError.disabled }
    let activity = request.fields["audit-activity"]
    let scopes = request.fields["audit-scope"]
    if let activity, activity.isEmpty || activity.utf8.count > Scope.longestActivity {
      throw APIError.invalidAuditField("audit-activity")
    }
    return try await Recording(
      recorder, joining: try scopes.map(Gateway.scopes) ?? [], of: principal.id, activity: activity,
      named: endpoint.rawValue, adding: details(of: request, by: principal))
  }

  private static func scopes(_ text: String) throws(APIError) -> [Int] {
    var ids: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let id = Int(part.trimmed), id > 0 else { throw .invalidAuditField("audit-scope") }
      ids.append(id)
    }
    return ids
  }

  /// What is recorded of a request itself, and of who made it, where that is known.
  func details(of request: Request, by principal: Principal?) -> Metadata {
    var values: [(key: String, value: String)] = []
    for detail in auditDetails {
      switch detail {
      case .address: values.append(("address", request.peer.address))
      case .requestID: values.append(("requestId", request.id.description))
      case .caller: if let principal, principal.kind != .anyone { values.append(("caller", principal.id)) }
      }
    }
    // Their keys are ours, and each there once.
    return (try? Metadata(values)) ?? .none
  }

  /// Reads, on the loop or on a thread, and takes down what the answer shows before anybody gets it.
  func read<Answer: Sendable>(
    for call: Call, _ recording: Recording?, as manner: Recording.Manner, onThread: Bool = false,
    _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    guard let recording, recording.recordsReads else {
      return try await read(for: call, onThread: onThread, body)
    }
    let (answer, observation) = try await read(for: call, onThread: onThread) { try $0.observing(body) }
    try await recording.record([observation], as: manner)
    return answer
  }

  /// What records a change of the schema with it; nil: nothing does.
  func hook(
    of change: ApplySchema, from schema: Schema, _ request: Request, by principal: Principal,
    _ endpoint: Endpoint
  ) async throws -> CommitHook? {
    guard let recorder, recorder.policy.events.contains(.schema) else { return nil }
    // Whoever leaves the trail out does not change it.
    let changes = schema.withoutTrail.difference(to: change.schema.withoutTrail).changes.map(\.description)
    return try await recorder.schemaHook(
      changes, activity: request.fields["audit-activity"] ?? endpoint.rawValue,
      adding: details(of: request, by: principal))
  }

  /// Records that a function is about to be called, where the policy says so.
  func record(_ invocation: Invocation, of request: Request, by principal: Principal) async throws {
    guard let recorder, recorder.policy.events.contains(.function) else { return }
    let data: Document = ["function": .string(invocation.name)]
    try await recorder.record(
      .function, activity: request.fields["audit-activity"] ?? Endpoint.callFunction.rawValue,
      data: String(decoding: Value.document(data).plainJSON, as: UTF8.self),
      adding: details(of: request, by: principal))
  }

  /// Records that a request was refused, where the policy says so.
  func record(_ problem: Problem, of request: Request, _ progress: Progress) async {
    guard let recorder, let kind = problem.code.recordedKind, recorder.policy.events.contains(kind) else {
      return
    }
    let data: Document = [
      "code": .string(problem.code.rawValue), "method": .string(request.method.rawValue),
      "route": progress.route.map { .string($0) } ?? .null,
    ]
    // It has been refused already: more than to say so cannot be done.
    try? await recorder.record(
      kind, activity: request.fields["audit-activity"] ?? kind.rawValue,
      data: String(decoding: Value.document(data).plainJSON, as: UTF8.self),
      adding: details(of: request, by: progress.caller))
  }

  /// Performs a transaction, and what records it with it.
  func perform(
    _ transaction: Transaction, for generation: Int64, by permit: Permit?, _ recording: Recording?
  ) async throws -> Commit {
    var transaction = try transaction.made(for: generation, by: permit)
    guard let record = recording?.write() else { return try await store.perform(transaction) }
    transaction.hook = record.hook()
    return try await record.commit { [store, transaction] in try await store.perform(transaction) }
  }
}

extension Schema {
  fileprivate var withoutTrail: Schema {
    Schema(objectTypes.filter { $0.name != StoredEvent.className })
  }
}

extension Problem.Code {
  /// What is recorded of a request that ended so; nil: nothing.
  fileprivate var recordedKind: StoredEvent.Kind? {
    switch self {
    case .unauthorized, .tooManyAttempts: .authentication
    case .forbidden, .guardedClass, .functionNotCallable: .refused
    default: nil
    }
  }
}

/// What can be recorded of a request beside what it did.
public enum AuditDetail: String, Hashable, Sendable, CaseIterable {
  /// Where the client is, without port.
  case address
  case requestID = "requestId"
  /// The key, as `key/ID`, or the user, as `user/ID`.
  case caller
}
