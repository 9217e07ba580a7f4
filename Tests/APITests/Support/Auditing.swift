import GatehouseAPI
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

/// How things are recorded in a test: with a clock that ticks a second each time it is asked, and identifiers that
/// count.
final class Auditing: Sendable {
  let details: [AuditDetail]
  private let policy: Policy
  private let options: Recorder.Options
  private let representation: @Sendable (String, Value) async throws -> Value
  private let ticks = Atomic<Int64>(0)
  private let ids = Atomic<UInt32>(0)
  private let told = Mutex<[Recorder.Notice]>([])

  init(
    _ policy: Policy = .onDemand, details: [AuditDetail] = [], options: Recorder.Options = Recorder.Options(),
    representation: @escaping @Sendable (String, Value) async throws -> Value = { _, _ in throw NoFunction() }
  ) {
    self.policy = policy
    self.details = details
    self.options = options
    self.representation = representation
  }

  /// There is no such function.
  struct NoFunction: Error {}

  var notices: [Recorder.Notice] { told.withLock { $0 } }

  func recorder(_ store: Store) -> Recorder {
    Recorder(
      store, policy: policy, options: options,
      clock: { Date(seconds: self.ticks.add(1, ordering: .relaxed).newValue) },
      makeID: { ObjectID(high: 0, low: self.ids.add(1, ordering: .relaxed).newValue) },
      notice: { notice in self.told.withLock { $0.append(notice) } }, representation: representation)
  }

  /// Lets so many seconds pass.
  func pass(_ seconds: Int64) { ticks.add(seconds, ordering: .relaxed) }
}

extension Fixture {
  /// Returns the stored events in order, also where requests need a key by now.
  func storedEvents(_ keys: String...) throws -> [String] {
    guard store.schema[StoredEvent.className] != nil else { return [] }
    return try store.makeReader().images(of: StoredEvent.className, after: nil, limit: 100).map { object in
      let event = try #require(ChainedEvent(object.image, key: object.key)).event
      let metadata = keys.map { key in event.metadata.pairs.first { $0.key == key }?.value ?? "-" }
      return ([event.activity, event.event ?? "-", event.data ?? "-"] + metadata).joined(separator: " ")
    }
  }

  /// Returns the stored events, oldest first: second, activity, event and data of each.
  func trail(_ fields: String = "timestamp,activity,event,data") async throws -> [String] {
    guard store.schema["AuditEvent"] != nil else { return [] }
    let answer = try await send(.get, "/v1/collections/AuditEvent?sort=_id&fields=\(fields)")
    guard case .array(let values) = try Value(json: answer.content) else { return [answer.text] }
    return values.map { value in
      guard case .document(let document) = value else { return "" }
      return document.elements.map { element in
        switch element.value {
        case .string(let text) where element.key == "timestamp":
          String(text.dropFirst("1970-01-01T00:".count).prefix(5))
        case .string(let text): text
        case .null: "-"
        default: "\(element.value)"
        }
      }.joined(separator: " ")
    }
  }

  /// Begins a scope and returns its id.
  func begin(_ activity: String) async throws -> String {
    let answer = try await send(.post, "/v1/audit/scopes", json: #"{"activity":"\#(activity)"}"#)
    guard case .int64(let id)? = try answer.document["id"] else {
      guard case .int32(let id)? = try answer.document["id"] else { throw Unwatchable(answer: answer.text) }
      return "\(id)"
    }
    return "\(id)"
  }

  /// Ends a scope; the status of the answer.
  @discardableResult
  func end(_ id: String, _ how: String = "commit") async throws -> UInt16 {
    try await send(.post, "/v1/audit/scopes/\(id)/\(how)", json: "").status
  }
}
