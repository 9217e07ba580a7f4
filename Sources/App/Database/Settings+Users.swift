import GatehouseAPI
import GatehouseAccess
import GatehouseOutbound
import GatehouseServer
import GatehouseStorage

extension Settings {
  /// Returns the users of a store, who log in by those providers, with the ways to other servers that they need.
  func users(
    of store: Store, _ providers: Providers, _ mailer: AccountMailer?
  ) async throws -> Users {
    var limits = userLimits
    limits.hashers = max(2, min(8, serverConfiguration([]).effectiveLoopCount / 2))
    var outbound = Users.Outbound(client: HTTPClient(.public(and: outboundRanges.ranges)))
    if let mailer { outbound.mail = { mailer.post($0, done: $1) } }
    let users = try await Users(store, providers: providers, limits: limits, outbound: outbound)
    try await users.sendLettersAgain()
    return users
  }

  /// The sender of the mails of accounts; nil: no server takes mail.
  var mailer: AccountMailer? {
    guard !mailServer.isEmpty else { return nil }
    let server = MailClient.Server(
      url: mailServer, user: mailUser, password: mailPassword,
      certificates: mailCertificates.isEmpty ? nil : mailCertificates)
    return AccountMailer(MailClient(server), from: mailSender, templates: AuthFolder(data).mailTemplates)
  }
}
