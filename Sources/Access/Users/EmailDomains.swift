public import GatehouseBSON

/// The domains whose addresses a provider lets in: App Services' `domain_restrictions`.
public struct EmailDomains: Hashable, Sendable {
  private let names: Set<String>

  /// No names: everybody is let in.
  public init(_ names: [String] = []) {
    self.names = Set(names.map { $0.lowercased() })
  }

  /// Whether what a provider tells of somebody has an address of one of the domains that the provider does not deny.
  public func allow(_ claims: Document) -> Bool {
    if names.isEmpty { return true }
    guard let domain = claims["email"]?.text?.split(separator: "@").last,
      claims["email_verified"] != .bool(false)
    else { return false }
    return names.contains(domain.lowercased())
  }
}
