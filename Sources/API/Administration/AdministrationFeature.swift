extension Feature {
  /// Keys, roles and users, for administrators.
  static let administration = Feature(endpoints: [
    .listKeys, .createKey, .revokeKey, .readRoles, .applyRoles, .listAccounts, .confirmAccount,
    .resetAccount, .enableUser, .disableUser, .readUserRoles, .applyUserRoles,
    .listSessions, .endSession,
    .readUser, .changeUser, .listProviders,
  ])
}
