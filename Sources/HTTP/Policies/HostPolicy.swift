/// Which hosts a request may be meant for.
///
/// A web page can make its reader's browser send requests to a server on loopback, or in the reader's network, by
/// having a name of its own resolve there (DNS rebinding); such requests bear the page's host.
public struct HostPolicy: Hashable, Sendable {
  /// The hosts that pass beside the listed names.
  public enum Hosts: Hashable, Sendable {
    /// `localhost`, names below it, and loopback addresses.
    case loopback
    /// Whatever comes.
    case any
  }

  public var hosts: Hosts
  /// In lower case and without port.
  public var names: Set<String>

  public init(_ hosts: Hosts, names: Set<String> = []) {
    self.hosts = hosts
    self.names = names
  }

  /// Whether the request may be answered; if not, the answer is 421.
  public func allows(_ fields: Fields) -> Bool {
    if hosts == .any { return true }
    var isAllowed = false
    // There is only one line: the parser refuses more.
    fields.forEachLine { name, value in
      if name.matches("host") { isAllowed = allows(value.withoutPort) }
    }
    return isAllowed
  }

  private func allows(_ host: UnsafeRawBufferPointer) -> Bool {
    if host.isLoopbackHost { return true }
    return !names.isEmpty && names.contains(String(decoding: host, as: UTF8.self).lowercased())
  }
}

extension UnsafeRawBufferPointer {
  /// A host without the port behind it.
  fileprivate var withoutPort: UnsafeRawBufferPointer {
    let isLiteral = first == UInt8(ascii: "[")
    return part(
      0, isLiteral ? Swift.min(index(of: UInt8(ascii: "]"), from: 0) + 1, count) : index(of: 0x3a, from: 0))
  }

  fileprivate var isLoopbackHost: Bool {
    if matchesIgnoringCase("localhost") || matches("[::1]") { return true }
    if count > 10, part(count - 10, count).matchesIgnoringCase(".localhost") { return true }
    return count > 4 && part(0, 4).matches("127.") && isIPv4
  }

  /// Four numbers below 256, lest `127.0.0.1.example` pass.
  private var isIPv4: Bool {
    var (dots, digits, value) = (0, 0, 0)
    for byte in self {
      if byte == UInt8(ascii: ".") {
        guard digits > 0 else { return false }
        (dots, digits, value) = (dots + 1, 0, 0)
      } else {
        guard let digit = byte.decimalDigit, digits < 3 else { return false }
        (digits, value) = (digits + 1, value * 10 + Int(digit))
        guard value < 256 else { return false }
      }
    }
    return dots == 3 && digits > 0
  }
}
