internal import GatehouseCrypto
internal import GatehouseScheduling
internal import GatehouseStorage
internal import Synchronization

/// A digest of all that the nodes of a cluster have alike, as a node's store was at one place of the log.
public struct StoreDigest: Hashable, Sendable {
  /// The comparison that it is for: nodes with the same one were at the same place.
  public let comparison: String
  /// The version that the store had there.
  public let version: Int64
  /// Nil: it is being made.
  public var hash: EntryHash?
}

/// Makes digests of a node's store, each where the log has an entry that asks for one.
final class StoreDigester: Sendable {
  /// The kind of a notice whose content is the name of a comparison.
  static let notice = "digest"

  private let lane: any Lane
  private let latest = Mutex<StoreDigest?>(nil)
  private let scheduler: any Scheduler

  init(on scheduler: any Scheduler) {
    self.scheduler = scheduler
    lane = scheduler.makeLane("gatehouse.digest", priority: .utility)
  }

  /// The digest that was asked for last.
  var digest: StoreDigest? { latest.withLock(\.self) }

  /// Begins a digest of the store as it is now, unless one is being made. To be called by the store's writer, which goes on as soon as a
  /// snapshot is held.
  func begin(_ comparison: String, in directory: String) {
    guard latest.withLock({ $0 == nil || $0?.hash != nil }) else { return }
    let isHeld = scheduler.makeSignal()
    lane.async { self.make(comparison, in: directory, isHeld) }
    isHeld.wait()
  }

  /// Makes a digest; one that cannot be read is none.
  private func make(_ comparison: String, in directory: String, _ isHeld: any Signal) {
    let snapshot = try? StoreSnapshot(directory: directory)
    let version = try? snapshot?.version()
    if let version {
      latest.withLock { $0 = StoreDigest(comparison: comparison, version: version, hash: nil) }
    }
    isHeld.signal()
    guard let snapshot, version != nil else { return }
    let hash = ContentHash()
    do { try snapshot.content(hash.take) } catch {
      latest.withLock { $0 = nil }
      return
    }
    latest.withLock { $0?.hash = hash.finish() }
  }
}

/// The SHA-256 of content that comes in pieces: that of its last part, with the hash of those before, and so on. Parts have the same size,
/// however the pieces were cut.
final class ContentHash {
  private static let partSize = 64 << 10
  private var hash: [UInt8] = []
  private var part: [UInt8] = []

  func take(_ piece: UnsafeRawBufferPointer) {
    var rest = piece[...]
    while !rest.isEmpty {
      precondition(part.count < ContentHash.partSize, "a part that is full is closed")
      let count = min(ContentHash.partSize - part.count, rest.count)
      part += rest.prefix(count)
      rest = rest.dropFirst(count)
      if part.count == ContentHash.partSize { close() }
    }
  }

  private func close() {
    hash = Digest.sha256.hash(hash + part)
    part.removeAll(keepingCapacity: true)
  }

  /// Returns the hash of everything that was taken.
  func finish() -> EntryHash? {
    close()
    return EntryHash(hash)
  }
}
