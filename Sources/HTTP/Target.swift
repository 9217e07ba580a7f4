/// A request target in origin-form (RFC 9112 §3.2.1), split but not yet decoded; or `*` (§3.2.4) as the path.
public struct Target: Sendable {
  /// Path and query, from `start` to `end`. The array may hold more: a request shares it with its fields.
  private var bytes: [UInt8]
  private let start: UInt32
  private var end: UInt32
  /// Where the `?` is, or `end`.
  private var pathEnd: UInt32

  init(bytes: [UInt8], start: Int, pathEnd: Int, end: Int) {
    self.bytes = bytes
    self.start = UInt32(start)
    self.pathEnd = UInt32(pathEnd)
    self.end = UInt32(end)
  }

  public init(path: String, query: String? = nil) {
    bytes = Array(path.utf8)
    start = 0
    pathEnd = UInt32(bytes.count)
    if let query { bytes += [UInt8(ascii: "?")] + query.utf8 }
    end = UInt32(bytes.count)
  }

  /// From the leading `/` to before the `?`, percent-encoded.
  public var path: String {
    get { String(decoding: pathBytes, as: UTF8.self) }
    set { self = Target(path: newValue, query: query) }
  }

  /// After the `?`, percent-encoded; nil when there is no `?`.
  public var query: String? {
    get { queryBytes.map { String(decoding: $0, as: UTF8.self) } }
    set { self = Target(path: path, query: newValue) }
  }

  /// The path's bytes, percent-encoded.
  public var pathBytes: ArraySlice<UInt8> { bytes[Int(start)..<Int(pathEnd)] }

  /// The query's bytes, percent-encoded; nil when there is no `?`.
  public var queryBytes: ArraySlice<UInt8>? {
    pathEnd == end ? nil : bytes[Int(pathEnd) + 1..<Int(end)]
  }
}

extension Target: Hashable {
  public static func == (one: Target, other: Target) -> Bool {
    one.pathBytes == other.pathBytes && one.queryBytes == other.queryBytes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(pathBytes)
    hasher.combine(queryBytes)
  }
}
