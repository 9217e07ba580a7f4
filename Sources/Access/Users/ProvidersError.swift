public import Crypto

/// Why a file of providers is of no use.
public enum ProvidersError: Error, Hashable, Sendable {
  /// A member, by its path with periods, is missing or of the wrong type.
  case member(String)
  /// A member, by its path, that means nothing.
  case unknownMember([String])
  /// A member, by its path with periods, that asks for what is not there.
  case unsupported(String)
  /// An algorithm other than HS256 and RS256.
  case unknownAlgorithm
  /// There is no secret of that name.
  case unknownSecret(String)
  /// The secret of that name is no key.
  case key(String, CryptoError)
  /// HS256 takes a secret of 32 bytes or more (RFC 7518 §3.2).
  case shortSecret(String)
}
