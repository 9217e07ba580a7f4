/// Which hosts a request may be meant for.
///
/// A web page can make its reader's browser send requests to a server on loopback, by having a name of its own
/// resolve there (DNS rebinding); such requests bear the page's host.
public enum HostPolicy: Hashable, Sendable {
  case any
  /// `localhost`, names below it, and loopback addresses.
  case loopback
  /// These, in lower case and without port.
  case names(Set<String>)

  /// Whether the request may be answered; if not, the answer is 421.
  public func allows(_ fields: Fields) -> Bool {
    if case .any = self { return true }
    guard let host = fields["host"].map(Self.withoutPort) else { return false }
    switch self {
    case .any: return true
    case .loopback: return Self.isLoopback(host)
    case .names(let names): return names.contains(host)
    }
  }

  private static func withoutPort(_ host: String) -> String {
    let end =
      host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
    return host[..<(end ?? host.endIndex)].lowercased()
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    // Four numbers, lest `127.0.0.1.example` pass.
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
  }
}
