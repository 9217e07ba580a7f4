import HTTP

/// What a route leads to. The names are those of `operationId` in `openapi/openapi.yaml`.
enum Endpoint: String, Hashable, Sendable, CaseIterable {
  case liveness
  case readiness
  case contract
  case metrics
  case readSchema
  case applySchema
  case readObjectType
  case applyObjectType
  case countObjects
  case findObjects
  case createObjects
  case patchObjects
  case deleteObjects
  case readObject
  case putObject
  case patchObject
  case deleteObject
  case runTransaction
  case readChanges
  case queryObjects
  case runQuery
  case listFunctions
  case callFunction
}

extension Endpoint {
  /// What a query may say, in a URL or in the content of a request.
  static let queryParameters: [Parameters.Name] = [
    .filter, .args, .sort, .distinct, .limit, .cursor, .fields, .expand, .projection, .aggregate, .sectionBy,
    .explain,
  ]

  /// The query parameters that it understands; any other one is refused.
  var parameters: [Parameters.Name] {
    switch self {
    case .liveness, .readiness, .contract, .metrics, .readSchema, .readObjectType, .countObjects,
      .listFunctions, .callFunction:
      []
    case .applySchema, .applyObjectType: [.destructive, .rename]
    case .findObjects: Endpoint.queryParameters
    case .queryObjects, .runQuery: [.cursor]
    case .createObjects: [.mode]
    case .patchObjects, .deleteObjects: [.filter, .args]
    case .readObject: [.fields, .expand, .projection]
    case .putObject, .patchObject, .deleteObject, .runTransaction: []
    case .readChanges: [.since, .limit, .class]
    }
  }

  /// The media types in which it answers, the default first; empty where it answers in one that is its own.
  var offers: [MediaType] {
    switch self {
    case .liveness, .readiness, .contract, .metrics: []
    case .countObjects, .findObjects, .queryObjects, .runQuery: MediaType.forCollections
    case .readChanges: MediaType.forChanges
    case .readSchema, .applySchema, .readObjectType, .applyObjectType, .createObjects, .patchObjects,
      .deleteObjects, .readObject, .putObject, .patchObject, .deleteObject, .runTransaction,
      .callFunction:
      MediaType.forOne
    case .listFunctions: MediaType.forChanges
    }
  }

  /// The media types that it reads.
  var reads: [ContentType] {
    switch self {
    case .liveness, .readiness, .contract, .metrics, .readSchema, .readObjectType, .countObjects,
      .findObjects,
      .deleteObjects, .readObject, .deleteObject, .readChanges, .listFunctions:
      []
    case .applySchema, .applyObjectType, .putObject, .runTransaction, .queryObjects,
      .runQuery, .callFunction:
      [.json, .extendedJSON, .bson]
    case .createObjects: [.json, .extendedJSON, .bson, .jsonLines]
    case .patchObject, .patchObjects: [.mergePatch, .jsonPatch, .json, .extendedJSON, .bson]
    }
  }
}
