/// Which addresses may be connected to.
///
/// The addresses that a name was found to mean are asked about, not names: whoever owns a name can have it mean any address, and
/// another one the next moment.
public struct AddressPolicy: Sendable {
  private let allowsAll: Bool
  private let allowed: [AddressRange]

  private init(allowsAll: Bool, allowed: [AddressRange]) {
    self.allowsAll = allowsAll
    self.allowed = allowed
  }

  /// Any address, for what an operator has named. The environment's proxies (`https_proxy`) are used.
  public static let all = AddressPolicy(allowsAll: true, allowed: [])

  /// Public addresses, and the ranges: for what others may name. No proxy is used, as it would look names up by itself.
  public static func `public`(and ranges: [AddressRange] = []) -> AddressPolicy {
    AddressPolicy(allowsAll: false, allowed: ranges)
  }

  /// Whether proxies of the environment may be used.
  var allowsProxies: Bool { allowsAll }

  /// Whether an address, of 4 bytes or 16, may be connected to.
  func allows(_ address: [UInt8]) -> Bool {
    precondition(address.count == 4 || address.count == 16, "an address has 4 bytes or 16")
    if allowsAll { return true }
    let address = AddressPolicy.unmapped(address)
    return allowed.contains { $0.contains(address) } || AddressPolicy.isPublic(address)
  }

  private static func isPublic(_ address: [UInt8]) -> Bool {
    guard address.count == 16 else { return !special.contains { $0.contains(address) } }
    // Translated addresses of version 4 (RFC 6052): as what they stand for.
    if translated.contains(where: { $0.contains(address) }) { return isPublic(Array(address[12...])) }
    return global.contains { $0.contains(address) } && !special.contains { $0.contains(address) }
  }

  /// An address of version 4, where that is what an address of version 6 has in it (RFC 4291, §2.5.5.2).
  private static func unmapped(_ address: [UInt8]) -> [UInt8] {
    mapped.contains { $0.contains(address) } ? Array(address[12...]) : address
  }

  private static let mapped = ranges(["::ffff:0:0/96"])
  private static let translated = ranges(["64:ff9b::/96"])
  private static let global = ranges(["2000::/3"])
  /// IANA's registries of special-purpose addresses, and multicast. Tunnels (Teredo, 6to4) lead to addresses of version 4.
  public static let specialRanges = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ]
  private static let special = ranges(specialRanges)

  private static func ranges(_ texts: [String]) -> [AddressRange] {
    texts.map { text in
      guard let range = AddressRange(text) else { preconditionFailure("\(text) is no range") }
      return range
    }
  }
}
