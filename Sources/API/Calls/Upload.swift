import GatehouseHTTP
import GatehouseQuery
import GatehouseStorage

/// The content of a request that may be of any size: what does not fit in memory is in a file.
///
/// Nothing is given to the store's writer before all of it has come, so that a slow client keeps nobody waiting.
struct Upload: Sendable {
  /// Bytes that are kept in memory.
  static let inMemory = 1 << 20

  /// All of the content, where there is no file.
  let bytes: [UInt8]
  let spool: Spool?
  /// The digest of the request, head and content.
  let fingerprint: UInt64

  init(_ call: Call, limit: Int, store: Store) async throws {
    var hash = call.fingerprint
    guard case .stream(let reader) = call.request.body else {
      bytes = try await call.bytes(limit: limit)
      hash.combine(bytes)
      (spool, fingerprint) = (nil, hash.value)
      return
    }
    var bytes: [UInt8] = []
    var spool: Spool?
    while let piece = try await reader.read() {
      hash.combine(piece)
      try call.hold(bytes.count + piece.count)
      bytes += piece
      guard (spool?.count ?? 0) + bytes.count <= limit else { throw BodyError.tooLarge(limit: limit) }
      guard bytes.count > Upload.inMemory else { continue }
      let file = try spool ?? store.makeSpool(for: call.caller)
      try file.append(bytes)
      spool = file
      bytes.removeAll(keepingCapacity: true)
    }
    try call.didReceiveContent()
    if let spool { try spool.append(bytes) } else { try call.holdValues(of: bytes) }
    self.bytes = spool == nil ? bytes : []
    self.spool = spool
    fingerprint = hash.value
  }
}
