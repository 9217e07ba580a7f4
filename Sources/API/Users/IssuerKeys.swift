import GatehouseAccess
import GatehouseBSON
import GatehouseOutbound

/// The public keys of other issuers, which are fetched when tokens name them, and kept for a while.
actor IssuerKeys {
  /// Seconds for which keys are kept without being looked at again.
  static let lifetime: Int64 = 600
  /// Seconds between two looks where a token names a key that is not among them: issuers change their keys.
  static let patience: Int64 = 30
  /// Seconds for which keys are used that cannot be fetched again.
  static let grace: Int64 = 86_400

  private struct Entry {
    var keys: [JSONWebKeySet.Key]
    /// The times of the last success and of the last attempt, in seconds.
    var fetched: Int64
    var tried: Int64
  }

  private let peer: LoginPeer
  private let clock: @Sendable () -> Date
  private var entries: [String: Entry] = [:]
  private var fetches: [String: Task<[JSONWebKeySet.Key]?, Never>] = [:]
  private var configurations: [String: Document] = [:]

  init(_ peer: LoginPeer, clock: @escaping @Sendable () -> Date) {
    (self.peer, self.clock) = (peer, clock)
  }

  /// Returns the keys that may have signed a token; nil: the rules have them. Throws ``UserError/issuerUnreachable``.
  func keys(of rules: CustomTokenRules, for token: String) async throws(UserError) -> [CustomTokenRules.Key]?
  {
    let source: String
    switch rules.keySource {
    case .keys: return nil
    case .url(let url): source = url
    case .issuer(let issuer): source = issuer
    }
    guard let token = JSONWebToken(token) else { return [] }
    let keys = try await current(source, of: rules.keySource, naming: token.keyID)
    return keys.filter { $0.id == nil || token.keyID == nil || $0.id == token.keyID }.map {
      .publicKey($0.key)
    }
  }

  /// Returns the endpoint of an issuer for exchanging codes; nil: it has none, or cannot be reached.
  func tokenEndpoint(of issuer: String) async -> String? {
    await configuration(of: issuer)?["token_endpoint"]?.plainText
  }

  private func current(
    _ source: String, of keySource: CustomTokenRules.KeySource, naming id: String?
  ) async throws(UserError) -> [JSONWebKeySet.Key] {
    let now = clock().seconds
    if let entry = entries[source] {
      let isKnown = id == nil || entry.keys.contains { $0.id == nil || $0.id == id }
      let isFresh = now - entry.fetched < IssuerKeys.lifetime
      if isKnown && isFresh || now - entry.tried < IssuerKeys.patience && now >= entry.tried {
        return entry.keys
      }
    }
    let fetched = await fetch(source, of: keySource)
    if let fetched {
      entries[source] = Entry(keys: fetched, fetched: now, tried: now)
      return fetched
    }
    guard var entry = entries[source], now - entry.fetched < IssuerKeys.grace else {
      throw .issuerUnreachable
    }
    entry.tried = now
    entries[source] = entry
    return entry.keys
  }

  /// Fetches keys once for all who wait for them.
  private func fetch(_ source: String, of keySource: CustomTokenRules.KeySource) async -> [JSONWebKeySet.Key]?
  {
    if let task = fetches[source] { return await task.value }
    let task = Task { () -> [JSONWebKeySet.Key]? in
      var url = source
      if case .issuer(let issuer) = keySource {
        guard let found = await self.configuration(of: issuer)?["jwks_uri"]?.plainText else { return nil }
        url = found
      }
      guard let value = await self.peer.get(url) else { return nil }
      return JSONWebKeySet(value)?.keys
    }
    fetches[source] = task
    let keys = await task.value
    fetches[source] = nil
    // The configuration may be what has changed.
    if keys == nil { configurations[source] = nil }
    return keys
  }

  /// The configuration of an issuer (OpenID Connect Discovery 1.0 §4), which has to name itself (§4.3).
  private func configuration(of issuer: String) async -> Document? {
    if let known = configurations[issuer] { return known }
    guard case .document(let found)? = await peer.get("\(issuer)/.well-known/openid-configuration"),
      let name = found["issuer"]?.plainText, name == issuer || name == issuer + "/"
    else { return nil }
    configurations[issuer] = found
    return found
  }
}

extension Value {
  var plainText: String? { if case .string(let text) = self { text } else { nil } }
}
