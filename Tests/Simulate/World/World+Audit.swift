import GatehouseAudit
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension World {
  /// Goes along the chain of recorded events, which has one for each acknowledged write.
  func examineAudit(_ directory: String) async throws {
    guard scenario.isAudited else { return }
    let snapshot = try StoreSnapshot(directory: directory)
    guard snapshot.schema[StoredEvent.className] != nil else { throw Failure("nothing was recorded") }
    var verification = Verification()
    var key: ObjectKey?
    while case let page = try snapshot.images(of: StoredEvent.className, after: key, limit: 100),
      let last = page.last
    {
      for object in page { verification.add(object: object.image, key: object.key) }
      key = last.key
    }
    verification.finish(nextKey: try snapshot.nextKey(of: StoredEvent.className))
    if let place = verification.firstBreak {
      throw Failure("the audit trail breaks at event \(place.key.value): \(place.reason)")
    }
    let written = attempts.values.count {
      if case .acknowledged = $0.outcome { $0.isRecorded } else { false }
    }
    guard verification.events >= written else {
      throw Failure("\(verification.events) events were recorded of \(written) writes")
    }
  }

  /// Ends scopes of which nobody knows whether they have, by which they hold no memory.
  func cancelScopes(_ service: Service) async {
    for id in openScopes.sorted() {
      _ = await service.answer(Self.request(.post, "/v1/audit/scopes/\(id)/cancel", json: "{}"), onLoop: 0)
    }
  }

  /// Scopes that were committed have events, and those that were cancelled have none.
  func examineScopes(_ service: Service) async throws {
    guard !scopes.isEmpty else { return }
    let path = "/v1/collections/AuditEvent?filter=activity%20BEGINSWITH%20'scope-'&limit=1000"
    guard let answer = await service.answer(Self.request(.get, path), onLoop: 0), answer.status == 200 else {
      throw Failure("the audit trail cannot be read")
    }
    let recorded = Set((try answer.value.values ?? []).compactMap { $0["activity"]?.text })
    for (activity, outcome) in scopes.sorted(by: { $0.key < $1.key }) {
      switch outcome {
      case .unclear: break
      case .committed(let reads):
        if reads > 0, !recorded.contains(activity) {
          throw Failure("\(activity) was committed, and has no events")
        }
      case .cancelled:
        if recorded.contains(activity) { throw Failure("\(activity) was cancelled, and has events") }
      }
    }
  }
}
