internal import CGatehouseOpenSSL

/// Comparisons whose duration tells nothing of what is compared.
public enum ConstantTime {
  /// Whether both are the same bytes; only their lengths may be guessed from how long it takes.
  public static func isEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
  }
}
