import HTTP

/// One line of the route table: a method on a template, and where it leads.
struct Route: Sendable {
  let method: Method
  /// Segments in braces stand for anything, `{path}` at the end for one or more.
  let template: String
  let endpoint: Endpoint

  init(_ method: Method, _ template: String, _ endpoint: Endpoint) {
    self.method = method
    self.template = template
    self.endpoint = endpoint
  }
}

extension Route {
  /// Where clients of App Services expect everything.
  static let appServices = "/api/client/v2.0"

  /// All routes, as `openapi/openapi.yaml` has them. HEAD and OPTIONS follow from the others.
  static let table = [
    Route(.get, "/livez", .liveness),
    Route(.get, "/readyz", .readiness),
    Route(.get, "/openapi.yaml", .contract),
    Route(.get, "/metrics", .metrics),
    Route(.get, "/v1/schema", .readSchema),
    Route(.put, "/v1/schema", .applySchema),
    Route(.get, "/v1/schema/{class}", .readObjectType),
    Route(.put, "/v1/schema/{class}", .applyObjectType),
    Route(.get, "/v1/collections", .countObjects),
    Route(.get, "/v1/collections/{class}", .findObjects),
    Route(.post, "/v1/collections/{class}", .createObjects),
    Route(.patch, "/v1/collections/{class}", .patchObjects),
    Route(.delete, "/v1/collections/{class}", .deleteObjects),
    Route(.query, "/v1/collections/{class}", .queryObjects),
    Route(.get, "/v1/collections/{class}/{id}", .readObject),
    Route(.put, "/v1/collections/{class}/{id}", .putObject),
    Route(.patch, "/v1/collections/{class}/{id}", .patchObject),
    Route(.delete, "/v1/collections/{class}/{id}", .deleteObject),
    Route(.get, "/v1/collections/{class}/{id}/{path}", .readProperty),
    Route(.put, "/v1/collections/{class}/{id}/{path}", .putProperty),
    Route(.patch, "/v1/collections/{class}/{id}/{path}", .patchProperty),
    Route(.post, "/v1/collections/{class}/{id}/{path}", .extendProperty),
    Route(.delete, "/v1/collections/{class}/{id}/{path}", .deleteProperty),
    Route(.post, "/v1/transactions", .runTransaction),
    Route(.get, "/v1/changes", .readChanges),
    Route(.post, "/v1/query", .runQuery),
    Route(.get, "/v1/keys", .listKeys),
    Route(.post, "/v1/keys", .createKey),
    Route(.delete, "/v1/keys/{key}", .revokeKey),
    Route(.get, "/v1/roles", .readRoles),
    Route(.put, "/v1/roles", .applyRoles),
    Route(.get, "\(appServices)/app/{app}/location", .appLocation),
    Route(.post, "\(appServices)/app/{app}/auth/providers/{provider}/login", .appLogin),
    Route(.post, "\(appServices)/app/{app}/auth/providers/local-userpass/register", .appRegister),
    Route(.post, "\(appServices)/app/{app}/auth/providers/local-userpass/confirm", .appConfirm),
    Route(.post, "\(appServices)/app/{app}/auth/providers/local-userpass/confirm/send", .appSendConfirmation),
    Route(.post, "\(appServices)/app/{app}/auth/providers/local-userpass/confirm/call", .appCallConfirmation),
    Route(.post, "\(appServices)/app/{app}/auth/providers/local-userpass/reset", .appReset),
    Route(.post, "\(appServices)/app/{app}/auth/providers/local-userpass/reset/send", .appSendReset),
    Route(.post, "\(appServices)/app/{app}/auth/providers/local-userpass/reset/call", .appCallReset),
    Route(.get, "\(appServices)/auth/profile", .appProfile),
    Route(.post, "\(appServices)/auth/session", .appRefresh),
    Route(.delete, "\(appServices)/auth/session", .appLogOut),
    Route(.delete, "\(appServices)/auth/delete", .appDeleteUser),
    Route(.get, "\(appServices)/auth/api_keys", .appListKeys),
    Route(.post, "\(appServices)/auth/api_keys", .appCreateKey),
    Route(.get, "\(appServices)/auth/api_keys/{key}", .appReadKey),
    Route(.delete, "\(appServices)/auth/api_keys/{key}", .appDeleteKey),
    Route(.put, "\(appServices)/auth/api_keys/{key}/enable", .appEnableKey),
    Route(.put, "\(appServices)/auth/api_keys/{key}/disable", .appDisableKey),
    Route(.post, "/v1/audit/scopes", .beginScope),
    Route(.post, "/v1/audit/scopes/{id}/commit", .commitScope),
    Route(.post, "/v1/audit/scopes/{id}/cancel", .cancelScope),
    Route(.post, "/v1/audit/events", .recordEvent),
    Route(.put, "/v1/audit/metadata", .updateMetadata),
    Route(.get, "/v1/functions", .listFunctions),
    Route(.post, "/v1/functions/{name}", .callFunction),
    Route(.post, "\(appServices)/app/{app}/functions/call", .callAppFunction),
    Route(.get, "\(appServices)/app/{app}/functions/call", .streamAppFunction),
    Route(.get, "/v1/accounts", .listAccounts),
    Route(.put, "/v1/accounts/{email}/confirm", .confirmAccount),
    Route(.put, "/v1/accounts/{email}/reset", .resetAccount),
    Route(.put, "/v1/users/{user}/enable", .enableUser),
    Route(.put, "/v1/users/{user}/disable", .disableUser),
  ]
}
