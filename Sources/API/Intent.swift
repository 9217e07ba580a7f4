import HTTP
import Storage

/// What a request asks for, decoded and checked, but not yet planned or performed.
enum Intent: Sendable {
  case liveness
  case readiness
  case contract
  case metrics
  case readSchema(ReadSchema)
  case applySchema(ApplySchema)
  case countObjects(CountObjects)
  case findObjects(FindObjects)
  case createObjects(CreateObjects)
  case loadObjects(LoadObjects)
  case changeObjects(ChangeObjects)
  case readObject(ReadObject)
  case writeObject(WriteObject)
  case readProperty(ReadProperty)
  case writeProperty(WriteProperty)
  case runTransaction(RunTransaction)
  case readChanges(ReadChanges)
  case listFunctions(ListFunctions)
  case callFunction(CallFunction)
  case callAppFunction(CallAppFunction)
  case subscribe(Subscribe)
  case manageKeys(ManageKeys)
  case manageRoles(ManageRoles)
  case appServices(AppServicesRequest)
  case manageUsers(ManageUsers)
  case audit(AuditCommand)

  init(decoding call: Call, for gateway: Gateway) async throws {
    let size = gateway.limits.contentSize
    switch call.endpoint {
    case .liveness: self = .liveness
    case .readiness: self = .readiness
    case .contract: self = .contract
    case .metrics: self = .metrics
    case .readSchema: self = .readSchema(ReadSchema(call))
    case .readObjectType: self = .readSchema(try ReadSchema(objectTypeOf: call))
    case .applySchema: self = .applySchema(try await ApplySchema(call, limit: size))
    case .applyObjectType: self = .applySchema(try await ApplySchema(objectTypeOf: call, limit: size))
    case .countObjects where call.mediaType == .eventStream:
      self = .subscribe(try Subscribe(toAllOf: call))
    case .countObjects: self = .countObjects(CountObjects(call))
    case .findObjects where call.mediaType == .eventStream:
      self = .subscribe(try Subscribe(toClassOf: call, limits: gateway.limits))
    case .findObjects: self = .findObjects(try FindObjects(call, limits: gateway.limits))
    case .queryObjects: self = .findObjects(try await FindObjects(querying: call, limits: gateway.limits))
    case .runQuery: self = .findObjects(try await FindObjects(posted: call, limits: gateway.limits))
    case .createObjects where call.contentType == .jsonLines: self = try await .lines(call, gateway)
    case .createObjects: self = .createObjects(try await CreateObjects(call, limit: size))
    case .patchObjects: self = .changeObjects(try await ChangeObjects(patching: call, limit: size))
    case .deleteObjects: self = .changeObjects(try ChangeObjects(deleting: call))
    case .runTransaction: self = .runTransaction(try await RunTransaction(call, for: gateway))
    case .readObject where call.mediaType == .eventStream:
      self = .subscribe(try Subscribe(toObjectOf: call, reader: gateway.reader))
    case .readObject: self = .readObject(try ReadObject(call))
    case .putObject: self = .writeObject(try await WriteObject(putting: call, for: gateway))
    case .patchObject: self = .writeObject(try await WriteObject(patching: call, for: gateway))
    case .deleteObject: self = .writeObject(try WriteObject(deleting: call, for: gateway))
    case .readProperty where call.mediaType == .eventStream:
      self = .subscribe(
        try Subscribe(toPropertyOf: call, limits: gateway.limits, reader: gateway.reader))
    case .readProperty: self = .readProperty(try ReadProperty(call, limits: gateway.limits))
    case .putProperty: self = .writeProperty(try await WriteProperty(putting: call, for: gateway))
    case .patchProperty: self = .writeProperty(try await WriteProperty(patching: call, for: gateway))
    case .extendProperty: self = .writeProperty(try await WriteProperty(posting: call, for: gateway))
    case .deleteProperty: self = .writeProperty(try await WriteProperty(deleting: call, for: gateway))
    case .appLocation, .appLogin, .appRegister, .appConfirm, .appSendConfirmation, .appCallConfirmation,
      .appReset, .appSendReset, .appCallReset, .appProfile, .appRefresh, .appLogOut, .appDeleteUser,
      .appListKeys, .appCreateKey, .appReadKey, .appDeleteKey, .appEnableKey, .appDisableKey:
      self = .appServices(try await AppServicesRequest(call))
    case .listKeys: self = .manageKeys(ManageKeys(listing: call))
    case .createKey: self = .manageKeys(try await ManageKeys(creating: call, limit: size))
    case .revokeKey: self = .manageKeys(try ManageKeys(revoking: call))
    case .readRoles: self = .manageRoles(ManageRoles(reading: call))
    case .applyRoles: self = .manageRoles(try await ManageRoles(applying: call, limit: size))
    case .readChanges: self = .readChanges(try ReadChanges(call, limits: gateway.limits))
    case .beginScope: self = .audit(try await AuditCommand(beginning: call, for: gateway))
    case .commitScope: self = .audit(try AuditCommand(committing: call, for: gateway))
    case .cancelScope: self = .audit(try AuditCommand(cancelling: call, for: gateway))
    case .recordEvent: self = .audit(try await AuditCommand(recording: call, for: gateway))
    case .updateMetadata: self = .audit(try await AuditCommand(updating: call, for: gateway))
    case .listFunctions: self = .listFunctions(ListFunctions(call))
    case .callFunction: self = .callFunction(try await CallFunction(call, limit: size))
    case .callAppFunction: self = .callAppFunction(try await CallAppFunction(call, limit: size))
    case .streamAppFunction: self = .callAppFunction(try CallAppFunction(streaming: call))
    case .listAccounts: self = .manageUsers(try ManageUsers(listing: call, limits: gateway.limits))
    case .confirmAccount: self = .manageUsers(.confirm(email: call.captured))
    case .resetAccount: self = .manageUsers(.reset(email: call.captured, call.mediaType))
    case .enableUser: self = .manageUsers(try ManageUsers(of: call, isDisabled: false))
    case .disableUser: self = .manageUsers(try ManageUsers(of: call, isDisabled: true))
    }
  }

  /// Lines come in any number.
  private static func lines(_ call: Call, _ gateway: Gateway) async throws -> Intent {
    // What is wrong with the head need not wait for the content.
    _ = (try call.collectionType(), try call.readableType())
    let upload = try await Upload(call, limit: gateway.limits.streamSize, store: gateway.store)
    guard let spool = upload.spool else { return .createObjects(try CreateObjects(call, upload.bytes)) }
    let load = try LoadObjects(
      call, spool, fingerprint: upload.fingerprint, limit: gateway.limits.contentSize)
    return .loadObjects(load)
  }
}
