import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP

/// Records who reads and writes what, where the policy or a request says so.
struct AuditRecording: Sendable {
  /// Nil: nothing is recorded.
  let recorder: Recorder?
  /// The facts about requests themselves that are recorded with every event.
  let details: [AuditDetail]

  /// Whether anything of a request may have to be recorded.
  func isRecorded(_ request: Request) -> Bool {
    recorder?.policy.always.isEmpty == false || request.fields.contains("audit-activity")
      || request.fields.contains("audit-scope")
  }

  /// Begins to record a request that `principal` makes; nil: nothing of it is to be recorded after all. `asker` is
  /// who asks for it to be recorded, in scopes of theirs or by itself.
  func recording(
    of request: Request, by principal: Principal, asked asker: Principal, on endpoint: Endpoint
  ) async throws -> Recording? {
    guard let recorder else { throw AuditError.disabled }
    let activity = request.fields["audit-activity"]
    let scopes = request.fields["audit-scope"]
    if let activity, activity.isEmpty || activity.utf8.count > Scope.longestActivity {
      throw APIError.invalidAuditField("audit-activity")
    }
    let demand = Recording.Demand(
      scopes: try scopes.map(AuditRecording.scopes) ?? [], owner: asker.id, activity: activity,
      account: asker.role.recordsEvents ? nil : asker.auditAccount(at: request.peer))
    return try await Recording(
      recorder, demand, named: endpoint.name, adding: details(of: request, by: principal))
  }

  private static func scopes(_ text: String) throws(APIError) -> [Int] {
    var ids: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let id = Int(part.trimmed), id > 0 else { throw .invalidAuditField("audit-scope") }
      ids.append(id)
    }
    return ids
  }

  /// Returns what is recorded of a request itself, and of its caller where that is known.
  func details(of request: Request, by principal: Principal?) -> Metadata {
    var values: [(key: String, value: String)] = []
    for detail in details {
      switch detail {
      case .address: values.append(("address", request.peer.address))
      case .requestID: values.append(("requestId", request.id.description))
      case .caller: if let principal, principal.kind != .anyone { values.append(("caller", principal.id)) }
      }
    }
    // Their keys are ours, and each there once.
    return (try? Metadata(values)) ?? .none
  }

  /// Records that a request was refused, where the policy says so.
  func record(
    _ problem: Problem, of request: Request, by principal: Principal?, on route: String?
  ) async {
    guard let recorder, let kind = problem.code.recordedKind, recorder.policy.events.contains(kind) else {
      return
    }
    let data: Document = [
      "code": .string(problem.code.rawValue), "method": .string(request.method.rawValue),
      "route": route.map { .string($0) } ?? .null,
    ]
    // It has been refused already: more than to say so cannot be done.
    try? await recorder.record(
      kind, activity: request.fields["audit-activity"] ?? kind.rawValue,
      data: String(decoding: Value.document(data).plainJSON, as: UTF8.self),
      adding: details(of: request, by: principal))
  }
}

extension Problem.Code {
  /// The kind of event that a request which ended so leaves; nil: none.
  fileprivate var recordedKind: StoredEvent.Kind? {
    switch self {
    case .unauthorized, .invalidTicket, .tooManyAttempts: .authentication
    case .forbidden, .guardedClass, .functionNotCallable: .refused
    default: nil
    }
  }
}

extension Principal {
  /// The account that bounds on what is recorded go by. Callers without a credential are told apart by their address.
  func auditAccount(at peer: PeerAddress) -> String { id.isEmpty ? "\(peer.client)" : id }
}

/// A fact about a request that can be recorded beside what it did.
public enum AuditDetail: String, Hashable, Sendable, CaseIterable {
  /// The client's address, without port.
  case address
  case requestID = "requestId"
  /// The key, as `key/ID`, or the user, as `user/ID`.
  case caller
}
