import GatehouseHTTP

/// The query parameters of a request, each known and there once.
struct Parameters: Sendable {
  /// A query parameter.
  enum Name: String, Hashable, Sendable, CaseIterable {
    case filter, args, sort, distinct, limit, cursor, fields, expand, mode, destructive, rename, since,
      values, keyPaths,
      `class`
    case format, projection, aggregate, sectionBy, explain, only, contains, indexOf, uniquing, at, from,
      count, link, confirm, app
    // Sent by App Services' clients where they can send no content and no fields.
    case baasRequest = "baas_request"
    case baasToken = "baas_at"
    case stitchRequest = "stitch_request"
    case stitchToken = "stitch_at"

    /// The parameters of queries, in a URL or in the content of a request.
    static let ofQueries: [Name] = [
      .filter, .args, .sort, .distinct, .limit, .cursor, .fields, .expand, .projection, .aggregate,
      .sectionBy,
      .explain,
    ]

    /// The parameters that only event streams have.
    static let ofStreams: [Name] = [.since, .values, .keyPaths, .mode]

    /// The parameters that event streams do not have.
    static let notOfStreams: [Name] = [
      .cursor, .projection, .aggregate, .explain, .only, .contains, .indexOf, .at,
    ]
  }

  private(set) var values: [(name: Name, value: String)] = []

  /// No parameters.
  init() {}

  var isEmpty: Bool { values.isEmpty }

  /// Throws ``APIError/unknownParameter(name:nearest:known:)``, since silence would hide typing mistakes, and
  /// ``APIError/repeatedParameter(_:)``.
  init(_ parameters: [(name: String, value: String)], known: [Name]) throws(APIError) {
    values.reserveCapacity(parameters.count)
    for (text, value) in parameters {
      guard let name = known.first(where: { $0.rawValue == text }) else {
        let nearest = EditDistance.nearest(to: text, among: known.map(\.rawValue))
        throw .unknownParameter(name: text, nearest: nearest, known: known)
      }
      guard self[name] == nil else { throw .repeatedParameter(name) }
      values.append((name, value))
    }
  }

  /// Throws ``APIError/unknownParameter(name:nearest:known:)`` where one of those is given.
  func refuse(_ names: [Name], known: [Name]) throws(APIError) {
    guard let first = values.first(where: { names.contains($0.name) }) else { return }
    let known = known.filter { !names.contains($0) }
    throw .unknownParameter(name: first.name.rawValue, nearest: nil, known: known)
  }

  subscript(name: Name) -> String? {
    values.first { $0.name == name }?.value
  }

  /// The parameter as `true` or `false`; false where it is left out.
  func flag(_ name: Name) throws(APIError) -> Bool {
    switch self[name] {
    case nil, "false": false
    case "true": true
    default: throw .invalidParameter(name)
    }
  }
}
