import GatehouseQuery

/// A strong entity tag: the state of an object, and the representation.
///
/// A strong tag names one sequence of bytes (RFC 9110 §8.8.1), so that the representations of one version have
/// different ones: `"17"`, `"17-ejson"`, `"17-bson"`.
struct EntityTag: Hashable, Sendable {
  /// The state of an object, as a tag tells it.
  enum State: Hashable, Sendable {
    /// The version of its last change.
    case version(Int64)
    /// A digest of what the caller is shown: a version would tell when something else changes.
    case shown(UInt64)
  }

  let state: State
  let mediaType: MediaType

  init(_ state: State, _ mediaType: MediaType) {
    self.state = state
    self.mediaType = mediaType
  }

  init(version: Int64, mediaType: MediaType) {
    self.init(.version(version), mediaType)
  }

  /// The tag, in quotes.
  var text: String {
    switch mediaType {
    case .json, .jsonLines, .eventStream, .csv: "\"\(state.text)\""
    case .extendedJSON: "\"\(state.text)-ejson\""
    case .bson: "\"\(state.text)-bson\""
    }
  }
}

extension EntityTag.State {
  /// The state in which the caller is shown that JSON.
  init(showing json: [UInt8]) {
    var hash = FNV1a()
    hash.combine(json)
    self = .shown(hash.value)
  }

  fileprivate var text: String {
    switch self {
    case .version(let version): "\(version)"
    case .shown(let digest): "s\(String(digest, radix: 16))"
    }
  }
}

/// The entity tags of an If-Match or If-None-Match field (RFC 9110 §13.1.1, §13.1.2).
enum EntityTags: Hashable, Sendable {
  /// One tag of the list, as it was sent.
  struct Tag: Hashable, Sendable {
    let isWeak: Bool
    /// The tag without its quotes, and without ``EntityTags/compressed``.
    let opaque: String
  }

  /// The end of the tag of a content that is compressed; without it, it is that of the content itself.
  static let compressed = "-gzip"

  /// `*`: any version of an object that exists.
  case any
  case list([Tag])

  /// Throws ``APIError/invalidPrecondition(_:)``, naming `field`.
  init(_ value: String, field: String) throws(APIError) {
    if value[...].trimmed == "*" {
      self = .any
      return
    }
    var parser = TagParser(value)
    guard let tags = parser.list() else { throw .invalidPrecondition(field) }
    self = .list(tags)
  }

  /// Whether the list has the tag, by weak comparison (RFC 9110 §8.8.3.2), as If-None-Match uses it.
  func contains(weakly tag: EntityTag) -> Bool { contains(weakly: tag.text) }

  /// The same for a tag in its quotes.
  func contains(weakly tag: String) -> Bool {
    switch self {
    case .any: true
    case .list(let tags): tags.contains { "\"\($0.opaque)\"" == tag }
    }
  }

  /// The versions that the strong tags stand for. Tags that are not ours stand for none.
  var versions: [Int64] {
    states.compactMap { $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64($0) : nil }
  }

  /// Whether one of the strong tags stands for the state.
  func contains(_ state: EntityTag.State) -> Bool {
    switch state {
    case .version(let version): versions.contains(version)
    case .shown: states.contains { $0 == state.text }
    }
  }

  /// The states that the strong tags stand for, whatever the representation was: someone who read an object as BSON
  /// may write it as JSON.
  private var states: [Substring] {
    guard case .list(let tags) = self else { return [] }
    return tags.compactMap { tag in
      guard !tag.isWeak else { return nil }
      let halves = tag.opaque.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 1 || halves[1] == "ejson" || halves[1] == "bson" else { return nil }
      return halves[0]
    }
  }
}

/// Reads `#entity-tag` (RFC 9110 §8.8.3); a tag may contain commas.
private struct TagParser {
  private let bytes: [UInt8]
  private var index = 0

  init(_ value: String) {
    bytes = Array(value.utf8)
  }

  /// The tags, or nil where the field is not a list of tags.
  mutating func list() -> [EntityTags.Tag]? {
    var tags: [EntityTags.Tag] = []
    while true {
      skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
      guard index < bytes.count else { return tags.isEmpty ? nil : tags }
      guard let tag = tag() else { return nil }
      tags.append(tag)
      skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard index == bytes.count || bytes[index] == UInt8(ascii: ",") else { return nil }
    }
  }

  private mutating func tag() -> EntityTags.Tag? {
    let isWeak = bytes[index...].starts(with: "W/".utf8)
    if isWeak { index += 2 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
    let start = index + 1
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    index = end + 1
    let opaque = String(decoding: bytes[start..<end], as: UTF8.self)
    let suffix = opaque.hasSuffix(EntityTags.compressed) ? EntityTags.compressed.utf8.count : 0
    return EntityTags.Tag(isWeak: isWeak, opaque: String(opaque.dropLast(suffix)))
  }

  private mutating func skip(_ skips: (UInt8) -> Bool) {
    while index < bytes.count, skips(bytes[index]) { index += 1 }
  }
}
