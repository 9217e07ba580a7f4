extension Endpoint {
  /// What an endpoint asks of its callers.
  enum Requirement: Hashable, Sendable {
    /// Nothing: it tells nothing.
    case nothing
    /// Some role, whatever it allows.
    case someRole
    /// The same, of somebody who shows a credential also where none is asked for: links and images that a web page
    /// leads to have none.
    case credential
    /// A role that stores events of its own.
    case recordingEvents
    /// A permit for the objects that the request is about.
    case permit
    /// The administrator's role.
    case administration
  }

  /// What callers need. A new endpoint says so here, and `ForbiddenTests` tries to get by it.
  var requirement: Requirement {
    switch self {
    case .liveness, .readiness: .nothing
    // They ask for tokens of their own.
    case .appLocation, .appLogin, .appRegister, .appConfirm, .appSendConfirmation, .appCallConfirmation,
      .appReset, .appSendReset, .appCallReset, .appProfile, .appRefresh, .appLogOut, .appDeleteUser,
      .appListKeys, .appCreateKey, .appReadKey, .appDeleteKey, .appEnableKey, .appDisableKey:
      .nothing
    // What a function reads and writes, it does as its caller, or where it says so as the system.
    case .contract, .readSchema, .readObjectType, .listFunctions, .callFunction,
      .callAppFunction, .beginScope, .commitScope, .cancelScope:
      .someRole
    case .streamAppFunction: .credential
    case .recordEvent: .recordingEvents
    case .metrics, .updateMetadata, .applySchema, .applyObjectType, .listKeys, .createKey, .revokeKey,
      .readRoles, .applyRoles, .listAccounts, .confirmAccount, .resetAccount, .enableUser, .disableUser:
      .administration
    case .countObjects, .findObjects, .createObjects, .patchObjects, .deleteObjects, .readObject, .putObject,
      .patchObject, .deleteObject, .readProperty, .putProperty, .patchProperty, .extendProperty,
      .deleteProperty, .runTransaction, .readChanges, .queryObjects, .runQuery:
      .permit
    }
  }
}
