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
  /// RFC 4180: a record of names, then one for each object.
  case csv

  static let forOne: [MediaType] = [.json, .extendedJSON, .bson]
  static let forObject = forOne + [.eventStream]
  static let forCounts: [MediaType] = [.json, .extendedJSON, .bson, .jsonLines, .eventStream]
  static let forQueries: [MediaType] = [.json, .extendedJSON, .bson, .jsonLines, .csv]
  static let forCollections = forCounts + [.csv]

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
    case .csv: "text/csv"
    }
  }

  /// Whether the objects of a query are streamed, in any number, and not paged.
  var isStreamed: Bool {
    switch self {
    case .jsonLines, .csv: true
    case .json, .extendedJSON, .bson, .eventStream: false
    }
  }

  /// The form of each object; a record of a table is made of JSON.
  var representation: Representation {
    switch self {
    case .json, .jsonLines, .eventStream, .csv: .json
    case .extendedJSON: .extendedJSON
    case .bson: .bson
    }
  }

  /// The way in which several objects are put together. BSON has no arrays outside documents, so documents follow
  /// each other, as in mongodump's files.
  var framing: Reader.Framing {
    switch self {
    case .json, .extendedJSON: .array
    case .bson, .jsonLines, .eventStream, .csv: .sequence
    }
  }
}
