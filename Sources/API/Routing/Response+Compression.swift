import GatehouseCompression
import GatehouseHTTP
import GatehouseScheduling
import Synchronization

// Contents that are text get smaller by a factor of five to ten. A client that shows secrets beside texts of a stranger's
// choosing, over TLS, should not ask for it (BREACH): so nothing is compressed that no Accept-Encoding asks for.
extension Response {
  /// Smaller contents stay as they are: they fit in a packet or two anyway.
  private static let smallest = 1_024
  /// Larger ones are compressed beside the loop, which would have no time for others.
  private static let largestOnLoop = 32 << 10
  /// Larger ones stay as they are: their client would wait for longer than it takes to send them.
  private static let largest = 4 << 20
  /// The most contents that wait. What comes on top is sent as it is, so that nobody has others wait.
  private static let mostWaiting = 4
  private static let waiting = Atomic(0)

  /// Compresses the content where it is text, the client takes gzip (RFC 9110 §12.5.3), and it gets smaller. Its entity tag is then
  /// one of its own, `"17-gzip"` for `"17"`.
  mutating func compress(for request: Request, on lane: any Lane) async {
    if status == .notModified { return keepTag(of: request) }
    guard case .bytes(let bytes) = body, Self.smallest...Self.largest ~= bytes.count,
      request.method != .head, let gzip = Gzip.system,
      let accepted = request.fields["accept-encoding"], AcceptedCodings(accepted).hasGzip,
      !fields.contains("content-encoding"), !fields.contains("content-range"),
      let type = fields["content-type"], Self.isText(type)
    else { return }
    guard let packed = await Self.packed(bytes, by: gzip, on: lane) else { return }
    body = .bytes(packed)
    if let tag = compressedTag { fields.replace("etag", tag) }
    fields.append("content-encoding", "gzip")
    fields.append("vary", "accept-encoding")
  }

  /// The entity tag of the same content when it is compressed.
  private var compressedTag: String? {
    guard let tag = fields["etag"], tag.hasSuffix("\"") else { return nil }
    return "\(tag.dropLast())\(EntityTags.compressed)\""
  }

  /// Has a 304 name the representation that the client holds: the compressed one, where that one's tag is in its condition
  /// (RFC 9110 §15.4.5).
  private mutating func keepTag(of request: Request) {
    guard let condition = request.fields["if-none-match"], let tag = compressedTag, condition.contains(tag)
    else { return }
    fields.replace("etag", tag)
    fields.append("vary", "accept-encoding")
  }

  private static func packed(_ bytes: [UInt8], by gzip: Gzip, on lane: any Lane) async -> [UInt8]? {
    if bytes.count <= largestOnLoop { return gzip.compress(bytes, level: 6) }
    defer {
      let left = waiting.subtract(1, ordering: .relaxed).newValue
      precondition(left >= 0, "no fewer contents than none are compressed")
    }
    guard waiting.add(1, ordering: .relaxed).newValue <= mostWaiting else { return nil }
    return await withCheckedContinuation { continuation in
      lane.async { continuation.resume(returning: gzip.compress(bytes, level: 6)) }
    }
  }

  private static func isText(_ mediaType: String) -> Bool {
    let name = mediaType.split(separator: ";").first.map { $0.lowercased() } ?? ""
    return name.hasPrefix("text/") && name != "text/event-stream" || name.hasSuffix("json")
      || name.hasSuffix("xml") || name.hasSuffix("yaml") || name.hasPrefix("application/openmetrics-text")
      || name == "application/wasm"
  }
}

/// The content codings that a client takes.
struct AcceptedCodings: Hashable {
  let hasGzip: Bool

  /// Reads Accept-Encoding.
  init(_ field: String) {
    var gzip: Bool?
    var any = false
    for part in field.split(separator: ",") {
      let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let name = words.first else { continue }
      let isRefused = words.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
      if name == "gzip" || name == "x-gzip" { gzip = !isRefused }
      if name == "*" { any = !isRefused }
    }
    hasGzip = gzip ?? any
  }
}
