public import GatehouseCrypto

/// The rule that a file of providers breaks.
public enum ProvidersError: Error, Hashable, Sendable {
  /// The member at the path is missing or of the wrong type.
  case member(String)
  /// The member at the path is unknown.
  case unknownMember([String])
  /// The member at the path is no URL, of `https` or `http`.
  case malformedURL(String)
  /// Nothing says for whom tokens of other issuers have to be.
  case missingAudience
  /// The algorithm is neither HS256 nor RS256.
  case unknownAlgorithm
  /// There is no secret of that name.
  case unknownSecret(String)
  /// The secret of that name is no key.
  case key(String, CryptoError)
  /// HS256 takes a secret of 32 bytes or more (RFC 7518 §3.2).
  case shortSecret(String)
}
