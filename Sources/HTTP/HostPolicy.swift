/// Which hosts a request may be meant for.
///
/// A web page can make its reader's browser send requests to a server on loopback, or in the reader's network, by
/// having a name of its own resolve there (DNS rebinding); such requests bear the page's host.
public struct HostPolicy: Hashable, Sendable {
  /// What passes beside the names that are listed.
  public enum Reach: Hashable, Sendable {
    /// `localhost`, names below it, and loopback addresses.
    case loopback
    /// Whatever comes.
    case any
  }

  public var reach: Reach
  /// In lower case and without port.
  public var names: Set<String>

  public init(_ reach: Reach, names: Set<String> = []) {
    self.reach = reach
    self.names = names
  }

  /// Whether the request may be answered; if not, the answer is 421.
  public func allows(_ fields: Fields) -> Bool {
    if reach == .any { return true }
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
    return starts(with: [0x31, 0x32, 0x37, 0x2e]) && isIPv4
  }

  /// Four numbers, lest `127.0.0.1.example` pass.
  private var isIPv4: Bool {
    let numbers = split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return numbers.count == 4
      && numbers.allSatisfy { number in
        (1...3).contains(number.count) && number.allSatisfy { $0.decimalDigit != nil }
          && number.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } < 256
      }
  }
}
