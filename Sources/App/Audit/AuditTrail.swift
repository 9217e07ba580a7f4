import GatehouseAudit
import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// The recorded events of a data directory, at one moment.
struct AuditTrail {
  private static let pageSize = 500

  private let snapshot: StoreSnapshot
  private let archives: [String]
  private let hasClass: Bool

  init(directory: String) throws {
    snapshot = try StoreSnapshot(directory: directory)
    hasClass = snapshot.schema[StoredEvent.className] != nil
    let first = hasClass ? try snapshot.images(of: StoredEvent.className, after: nil, limit: 1).first : nil
    archives = AuditFolder(dataDirectory: directory).archives(before: first?.key)
  }

  /// The key that the next event will get.
  var nextKey: ObjectKey? {
    get throws { hasClass ? try snapshot.nextKey(of: StoredEvent.className) : nil }
  }

  /// Goes along the chain. Throws ``CommandError/brokenTrail(number:id:reason:)`` where it breaks.
  func verified(against anchors: [Anchor] = []) throws -> Verification {
    var verification = Verification(anchors: anchors)
    try forEachLine { verification.add(line: $0) }
    try forEachObject { verification.add(object: $0.image, key: $0.key) }
    verification.finish(nextKey: try nextKey)
    if let place = verification.firstBreak {
      throw CommandError.brokenTrail(
        number: place.key.value, id: place.id?.description, reason: place.reason.rawValue)
    }
    return verification
  }

  /// Calls `body` with each line of the archives.
  func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
    for path in archives {
      var reader = try RecordFile(path: path)
      while let line = try reader.next() { try body(Array(line)) }
    }
  }

  /// Calls `body` with each event of the store.
  func forEachObject(_ body: (KeyedImage) throws -> Void) throws {
    guard hasClass else { return }
    var key: ObjectKey?
    while true {
      let objects = try snapshot.images(of: StoredEvent.className, after: key, limit: AuditTrail.pageSize)
      guard let last = objects.last else { return }
      for object in objects { try body(object) }
      key = last.key
    }
  }
}
