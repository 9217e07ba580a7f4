import Audit
import BSON
import Model
import Storage

/// `gatehouse audit verify`.
struct AuditVerifyCommand: Command {
  static let synopsis = Synopsis(
    "audit verify", summary: "Checks that no recorded event was changed or removed, while a server may run.",
    settings: .some(["data"]),
    details: """
      Goes along the chain of digests from the oldest event, in the archives of the data directory, to the newest. The \
      exit code is 1 where it breaks; the first event that is not as it was is named.
      """)

  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
  }

  func run() throws {
    let trail = try AuditTrail(directory: directory)
    var verification = Verification()
    try trail.forEachLine { verification.add(line: $0) }
    try trail.forEachObject { verification.add(object: $0.image, key: $0.key) }
    verification.finish(nextKey: try trail.nextKey)
    guard let place = verification.firstBreak else {
      Output.error.write("\(Quantity.grouped(verification.events)) events, none of them changed\n")
      return
    }
    throw CommandError.brokenTrail(
      number: place.key.value, id: place.id?.description, reason: place.reason.rawValue)
  }
}

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

  /// Calls `body` with each line of the archives.
  func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
    for path in archives {
      var reader = try LineReader(path: path)
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
