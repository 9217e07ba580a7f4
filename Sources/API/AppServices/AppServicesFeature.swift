extension Feature {
  /// The protocol of Realm's clients: users, and calls of functions.
  static let appServices = Feature(
    endpoints: [
      .appLocation, .appLogin, .appRegister, .appConfirm, .appSendConfirmation, .appCallConfirmation,
      .appReset, .appSendReset, .appCallReset, .appProfile, .appRegisterPush,
      .appUnregisterPush, .appRefresh, .appLogOut, .appDeleteUser,
      .appListKeys, .appCreateKey, .appReadKey, .appDeleteKey, .appEnableKey, .appDisableKey,
      .callAppFunction, .streamAppFunction,
    ],
    errorFormat: ErrorFormat(path: Endpoint.appServicesPath) { error, request in
      Problem.appServicesResponse(to: error, for: request)
    })
}
