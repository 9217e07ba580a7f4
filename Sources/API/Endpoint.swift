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
  case readProperty
  case putProperty
  case patchProperty
  case extendProperty
  case deleteProperty
  case runTransaction
  case readChanges
  case queryObjects
  case runQuery
  case listFunctions
  case callFunction
  case callAppFunction
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
    case .liveness, .readiness, .contract, .metrics, .readSchema, .readObjectType: []
    case .listFunctions, .callFunction, .callAppFunction: []
    case .countObjects: [.since, .values]
    case .applySchema, .applyObjectType: [.destructive, .rename]
    case .findObjects: Endpoint.queryParameters + [.since, .values, .keyPaths, .mode]
    case .queryObjects, .runQuery: [.cursor]
    case .createObjects: [.mode]
    case .patchObjects, .deleteObjects: [.filter, .args]
    case .readObject: [.fields, .expand, .projection, .since, .values, .keyPaths]
    case .putObject, .patchObject, .deleteObject, .runTransaction: []
    case .readProperty:
      [
        .filter, .args, .sort, .distinct, .limit, .cursor, .fields, .expand, .only, .contains, .indexOf,
        .aggregate, .since, .keyPaths, .mode,
      ]
    case .putProperty: []
    case .patchProperty: [.uniquing]
    case .extendProperty: [.at]
    case .deleteProperty: [.from, .count]
    case .readChanges: [.since, .limit, .class]
    }
  }

  /// Which of them are for event streams only, and which event streams do not have.
  static let ofStreams: Set<Parameters.Name> = [.since, .values, .keyPaths, .mode]
  static let notOfStreams: Set<Parameters.Name> = [
    .cursor, .projection, .aggregate, .explain, .only, .contains, .indexOf,
  ]

  /// The media types in which it answers, the default first; empty where it answers in one that is its own.
  var offers: [MediaType] {
    switch self {
    case .liveness, .readiness, .contract, .metrics: []
    case .countObjects, .findObjects: MediaType.forCollections
    case .queryObjects, .runQuery: MediaType.forQueries
    case .readChanges: MediaType.forChanges
    case .readObject: MediaType.forObject
    case .readProperty: MediaType.forParts + [.eventStream]
    case .putProperty, .patchProperty, .extendProperty, .deleteProperty: MediaType.forParts
    case .readSchema, .applySchema, .readObjectType, .applyObjectType, .createObjects, .patchObjects,
      .deleteObjects, .putObject, .patchObject, .deleteObject, .runTransaction, .callFunction:
      MediaType.forOne
    case .listFunctions: MediaType.forChanges
    case .callAppFunction: [.json]
    }
  }

  /// The media types that it reads.
  var reads: [ContentType] {
    switch self {
    case .liveness, .readiness, .contract, .metrics, .readSchema, .readObjectType, .countObjects,
      .findObjects,
      .deleteObjects, .readObject, .deleteObject, .readProperty, .deleteProperty, .readChanges,
      .listFunctions:
      []
    case .putProperty, .patchProperty, .extendProperty: [.json, .extendedJSON, .bson]
    case .applySchema, .applyObjectType, .putObject, .runTransaction, .queryObjects, .runQuery,
      .callFunction:
      [.json, .extendedJSON, .bson]
    case .callAppFunction: [.json]
    case .createObjects: [.json, .extendedJSON, .bson, .jsonLines]
    case .patchObject, .patchObjects: [.mergePatch, .jsonPatch, .json, .extendedJSON, .bson]
    }
  }
}
