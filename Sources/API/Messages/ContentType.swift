import GatehouseBSON

/// A media type in which the content of requests comes.
enum ContentType: Hashable, Sendable, CaseIterable {
  case json
  case extendedJSON
  case bson
  case jsonLines
  /// RFC 4180.
  case csv
  /// RFC 7396.
  case mergePatch
  /// RFC 6902.
  case jsonPatch

  /// Values of any kind.
  static let ofValues: [ContentType] = [.json, .extendedJSON, .bson]
  /// Objects in any number, one after the other.
  static let ofSequences: [ContentType] = [.jsonLines, .csv]
  /// Changes of an object: a JSON document may be either of the first two.
  static let ofPatches: [ContentType] = [.mergePatch, .jsonPatch, .json, .extendedJSON, .bson]

  var name: String {
    switch self {
    case .json: "application/json"
    case .extendedJSON: "application/ejson"
    case .bson: "application/bson"
    case .jsonLines: "application/x-ndjson"
    case .csv: "text/csv"
    case .mergePatch: "application/merge-patch+json"
    case .jsonPatch: "application/json-patch+json"
    }
  }

  /// The format of objects in any number that are read one after the other; nil: all of the content is read at once.
  var sequenceFormat: SequenceFormat? {
    switch self {
    case .jsonLines: .ndjson
    case .csv: .csv
    case .json, .extendedJSON, .bson, .mergePatch, .jsonPatch: nil
    }
  }

  /// Reads a Content-Type field; nil where it names another media type, or another charset than UTF-8.
  init?(_ value: String) {
    // The values that nearly everybody sends are not worth parsing.
    if let type = ContentType.allCases.first(where: { $0.name == value }) {
      self = type
      return
    }
    let parts = value.lowercased().split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
    for parameter in parts.dropFirst() where parameter.hasPrefix("charset=") {
      let charset = parameter.dropFirst("charset=".count)
      guard charset == "utf-8" || charset == "\"utf-8\"" else { return nil }
    }
    guard let name = parts.first, let type = ContentType.allCases.first(where: { $0.name == name }) else {
      return nil
    }
    self = type
  }
}
