import GatehouseBSON

extension Providers {
  /// The members that each provider's entry may have, beside those of all (key `""`). App Services' exports have
  /// members that change nothing here: texts and addresses of mails, redirections.
  private static let members: [String: Set<String>] = [
    "": [
      "config", "disabled", "domain_restrictions", "id", "_id", "metadata_fields", "name", "redirect_uris",
      "secret_config", "type",
    ],
    "anon-user": [], "api-key": [],
    "local-userpass": [
      "autoConfirm", "confirmEmailSubject", "confirmationFunctionName", "emailConfirmationUrl",
      "resetFunctionName", "resetPasswordSubject", "resetPasswordUrl", "runConfirmationFunction",
      "runResetFunction",
    ],
    "custom-token": [
      "audience", "issuer", "jwkURI", "requireAnyAudience", "rolesClaim", "signingAlgorithm", "useJWKURI",
    ],
    "custom-function": ["authFunctionId", "authFunctionName"],
    "oauth2-google": ["clientId", "issuer", "openId"], "oauth2-apple": ["clientId", "issuer"],
    "oauth2-facebook": ["clientId", "graph"],
  ]

  /// Refuses misspelt members, which would have no effect otherwise. Throws ``ProvidersError/unknownMember(_:)`` with
  /// the path of the first unknown one.
  static func check(_ document: Document) throws(ProvidersError) {
    for provider in document.elements {
      guard provider.key != "", let known = members[provider.key] else {
        throw .unknownMember([provider.key])
      }
      guard let content = provider.value.document else { throw .member(provider.key) }
      try check(content, known: members[""] ?? [], at: [provider.key])
      guard let config = content["config"]?.document else { continue }
      try check(config, known: known, at: [provider.key, "config"])
    }
  }

  private static func check(
    _ document: Document, known: Set<String>, at path: [String]
  ) throws(ProvidersError) {
    for element in document.elements where !known.contains(element.key) {
      throw .unknownMember(path + [element.key])
    }
  }
}
