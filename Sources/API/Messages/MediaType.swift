import GatehouseStorage

/// A media type in which answers come.
enum MediaType: Hashable, Sendable, CaseIterable {
  case json
  case extendedJSON
  case bson
  /// Newline-delimited: an object a line.
  case jsonLines
  /// Server-sent events: the resource, watched.
  case eventStream

  static let forOne: [MediaType] = [.json, .extendedJSON, .bson]
  static let forObject = forOne + [.eventStream]
  static let forQueries: [MediaType] = [.json, .extendedJSON, .bson, .jsonLines]
  static let forCollections = forQueries + [.eventStream]

  /// The media types of properties and elements. BSON has no values without a document around them: a map is one,
  /// anything else the member `value` of one.
  static let forParts: [MediaType] = forOne

  static let forChanges: [MediaType] = [.json, .extendedJSON, .jsonLines]

  var name: String {
    switch self {
    case .json: "application/json"
    case .extendedJSON: "application/ejson"
    case .bson: "application/bson"
    case .jsonLines: "application/x-ndjson"
    case .eventStream: "text/event-stream"
    }
  }

  /// The form of each object.
  var representation: Representation {
    switch self {
    case .json, .jsonLines, .eventStream: .json
    case .extendedJSON: .extendedJSON
    case .bson: .bson
    }
  }

  /// The way in which several objects are put together. BSON has no arrays outside documents, so documents follow
  /// each other, as in mongodump's files.
  var framing: Reader.Framing {
    switch self {
    case .json, .extendedJSON: .array
    case .bson, .jsonLines, .eventStream: .sequence
    }
  }
}
