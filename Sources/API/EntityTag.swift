/// A strong entity tag: the version of an object's last change, and the representation.
///
/// A strong tag names one sequence of bytes (RFC 9110 §8.8.1), so that the representations of one version have
/// different ones: `"17"`, `"17-ejson"`, `"17-bson"`.
struct EntityTag: Hashable, Sendable {
  let version: Int64
  let mediaType: MediaType

  /// The tag, in quotes.
  var text: String {
    switch mediaType {
    case .json, .jsonLines, .eventStream: "\"\(version)\""
    case .extendedJSON: "\"\(version)-ejson\""
    case .bson: "\"\(version)-bson\""
    }
  }
}

/// The entity tags of an If-Match or If-None-Match field (RFC 9110 §13.1.1, §13.1.2).
enum EntityTags: Hashable, Sendable {
  /// One tag of the list, as it was sent.
  struct Tag: Hashable, Sendable {
    let isWeak: Bool
    /// Without the quotes.
    let opaque: String
  }

  /// `*`: any version of an object that exists.
  case any
  case list([Tag])

  /// Throws ``Refusal/invalidPrecondition(_:)``, naming `field`.
  init(_ value: String, field: String) throws(Refusal) {
    if value[...].trimmed == "*" {
      self = .any
      return
    }
    var parser = TagParser(value)
    guard let tags = parser.list() else { throw .invalidPrecondition(field) }
    self = .list(tags)
  }

  /// Weak comparison (RFC 9110 §8.8.3.2), as If-None-Match uses it.
  func contains(weakly tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .list(let tags): tags.contains { "\"\($0.opaque)\"" == tag.text }
    }
  }

  /// The versions that the strong tags stand for, whatever the representation was.
  ///
  /// Someone who read an object as BSON may write it as JSON. Tags that are not ours stand for none.
  var versions: [Int64] {
    switch self {
    case .any: []
    case .list(let tags):
      tags.compactMap { tag in
        guard !tag.isWeak else { return nil }
        let halves = tag.opaque.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 1 || halves[1] == "ejson" || halves[1] == "bson" else { return nil }
        return halves[0].utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(halves[0]) : nil
      }
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
    return EntityTags.Tag(isWeak: isWeak, opaque: String(decoding: bytes[start..<end], as: UTF8.self))
  }

  private mutating func skip(_ skips: (UInt8) -> Bool) {
    while index < bytes.count, skips(bytes[index]) { index += 1 }
  }
}
