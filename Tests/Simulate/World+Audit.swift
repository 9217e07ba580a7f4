import GatehouseAudit
import GatehouseModel
import GatehouseStorage

extension World {
  /// Goes along the chain of recorded events, which has one for each acknowledged write.
  func examineAudit(_ service: Service) async throws {
    guard scenario.isAudited else { return }
    let snapshot = try StoreSnapshot(directory: service.directory)
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
    let written = attempts.values.count { if case .acknowledged = $0.outcome { true } else { false } }
    guard verification.events >= written else {
      throw Failure("\(verification.events) events were recorded of \(written) writes")
    }
  }
}
