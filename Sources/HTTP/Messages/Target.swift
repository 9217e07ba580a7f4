/// A request target in origin-form (RFC 9112 §3.2.1), split but not yet decoded; or `*` (§3.2.4) as the path.
public struct Target: Sendable {
  /// Path and query from the start on. There may be more: a request shares it with its fields.
  private let bytes: HeadBytes
  /// Where the `?` is, or `end`.
  private let pathEnd: UInt32
  private let end: UInt32

  init(bytes: HeadBytes, pathEnd: UInt32, end: UInt32) {
    self.bytes = bytes
    self.pathEnd = pathEnd
    self.end = end
  }

  public init(path: String, query: String? = nil) {
    var bytes = HeadBytes()
    let pathEnd = path.utf8.count
    var text = query.map { "\(path)?\($0)" } ?? path
    text.withUTF8 { bytes.append(UnsafeRawBufferPointer($0)) }
    self.init(
      bytes: bytes, pathEnd: UInt32(truncatingIfNeeded: pathEnd), end: UInt32(truncatingIfNeeded: bytes.count)
    )
  }

  /// From the leading `/` to before the `?`, percent-encoded.
  public var path: String {
    get { withPathBytes { String(decoding: $0, as: UTF8.self) } }
    set { self = Target(path: newValue, query: query) }
  }

  /// After the `?`, percent-encoded; nil when there is no `?`.
  public var query: String? {
    get { withQueryBytes { $0.map { String(decoding: $0, as: UTF8.self) } } }
    set { self = Target(path: path, query: newValue) }
  }

  /// Calls `body` with the path's bytes, percent-encoded.
  public func withPathBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    bytes.withBytes { body($0.part(0, Int(pathEnd))) }
  }

  /// Calls `body` with the query's bytes, percent-encoded; with nil when there is no `?`.
  public func withQueryBytes<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
    bytes.withBytes { body(pathEnd == end ? nil : $0.part(Int(pathEnd) + 1, Int(end))) }
  }
}

extension Target: Hashable {
  public static func == (one: Target, other: Target) -> Bool {
    one.path == other.path && one.query == other.query
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(query)
  }
}
