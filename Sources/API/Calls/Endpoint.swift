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
  case beginScope
  case commitScope
  case cancelScope
  case recordEvent
  case updateMetadata
  case queryObjects
  case runQuery
  case listKeys
  case createKey
  case revokeKey
  case readRoles
  case applyRoles
  case appLocation
  case appLogin
  case appRegister
  case appConfirm
  case appSendConfirmation
  case appCallConfirmation
  case appReset
  case appSendReset
  case appCallReset
  case appProfile
  case appRefresh
  case appLogOut
  case appDeleteUser
  case appListKeys
  case appCreateKey
  case appReadKey
  case appDeleteKey
  case appEnableKey
  case appDisableKey
  case listFunctions
  case callFunction
  case callAppFunction
  case streamAppFunction
  case listAccounts
  case confirmAccount
  case resetAccount
  case enableUser
  case disableUser
}

extension Endpoint {
  /// What a query may say, in a URL or in the content of a request.
  static let queryParameters: [Parameters.Name] = [
    .filter, .args, .sort, .distinct, .limit, .cursor, .fields, .expand, .projection, .aggregate, .sectionBy,
    .explain,
  ]

  private static let collectionParameters = queryParameters + ofStreams

  /// The query parameters that it understands; any other one is refused.
  var parameters: [Parameters.Name] {
    switch self {
    case .appLogin: [.link]
    case .appLocation, .appRegister, .appConfirm, .appSendConfirmation, .appCallConfirmation, .appReset,
      .appSendReset, .appCallReset, .appProfile, .appRefresh, .appLogOut, .appDeleteUser, .appListKeys,
      .appCreateKey, .appReadKey, .appDeleteKey, .appEnableKey, .appDisableKey:
      []
    case .liveness, .readiness, .contract, .metrics, .readSchema, .readObjectType, .listKeys, .createKey,
      .revokeKey,
      .readRoles, .applyRoles:
      []
    case .listFunctions, .callFunction, .callAppFunction: []
    case .streamAppFunction: [.baasRequest, .baasToken, .stitchRequest, .stitchToken]
    case .listAccounts: [.limit, .cursor]
    case .confirmAccount, .resetAccount, .enableUser, .disableUser: []
    case .countObjects: [.since, .values]
    case .applySchema, .applyObjectType: [.destructive, .rename]
    case .findObjects: Endpoint.collectionParameters
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
    case .beginScope, .commitScope, .cancelScope, .recordEvent, .updateMetadata: []
    }
  }

  /// Which of them are for event streams only, and which event streams do not have.
  static let ofStreams: [Parameters.Name] = [.since, .values, .keyPaths, .mode]
  static let notOfStreams: [Parameters.Name] = [
    .cursor, .projection, .aggregate, .explain, .only, .contains, .indexOf,
  ]

  /// The media types in which it answers, the default first; empty where it answers in one that is its own.
  var offers: [MediaType] {
    switch self {
    case .appLocation, .appLogin, .appRegister, .appConfirm, .appSendConfirmation, .appCallConfirmation,
      .appReset, .appSendReset, .appCallReset, .appProfile, .appRefresh, .appLogOut, .appDeleteUser,
      .appListKeys, .appCreateKey, .appReadKey, .appDeleteKey, .appEnableKey, .appDisableKey:
      []
    case .liveness, .readiness, .contract, .metrics, .revokeKey: []
    case .confirmAccount, .enableUser, .disableUser: []
    case .commitScope, .cancelScope, .recordEvent, .updateMetadata: []
    case .countObjects, .findObjects: MediaType.forCollections
    case .queryObjects, .runQuery: MediaType.forQueries
    case .readChanges: MediaType.forChanges
    case .readObject: MediaType.forObject
    case .readProperty: MediaType.forParts + [.eventStream]
    case .putProperty, .patchProperty, .extendProperty, .deleteProperty: MediaType.forParts
    case .readSchema, .applySchema, .readObjectType, .applyObjectType, .createObjects, .patchObjects,
      .deleteObjects, .putObject, .patchObject, .deleteObject, .runTransaction, .listKeys, .createKey,
      .readRoles, .applyRoles, .callFunction, .beginScope, .listAccounts, .resetAccount:
      MediaType.forOne
    case .listFunctions: MediaType.forChanges
    case .callAppFunction: [.json]
    case .streamAppFunction: [.eventStream]
    }
  }

  /// The media types that it reads.
  var reads: [ContentType] {
    switch self {
    case .appLogin, .appRegister, .appConfirm, .appSendConfirmation, .appCallConfirmation, .appReset,
      .appSendReset, .appCallReset, .appCreateKey:
      [.json]
    case .appLocation, .appProfile, .appRefresh, .appLogOut, .appDeleteUser, .appListKeys, .appReadKey,
      .appDeleteKey, .appEnableKey, .appDisableKey:
      []
    case .liveness, .readiness, .contract, .metrics, .readSchema, .readObjectType, .countObjects,
      .findObjects,
      .deleteObjects, .readObject, .deleteObject, .readProperty, .deleteProperty, .readChanges, .listKeys,
      .revokeKey, .readRoles, .listFunctions, .streamAppFunction, .listAccounts, .confirmAccount,
      .resetAccount, .enableUser, .disableUser:
      []
    case .putProperty, .patchProperty, .extendProperty: [.json, .extendedJSON, .bson]
    case .applySchema, .applyObjectType, .putObject, .runTransaction, .queryObjects, .runQuery, .createKey,
      .applyRoles, .callFunction, .beginScope, .commitScope, .cancelScope, .recordEvent, .updateMetadata:
      [.json, .extendedJSON, .bson]
    case .callAppFunction: [.json]
    case .createObjects: [.json, .extendedJSON, .bson, .jsonLines]
    case .patchObject, .patchObjects: [.mergePatch, .jsonPatch, .json, .extendedJSON, .bson]
    }
  }
}
