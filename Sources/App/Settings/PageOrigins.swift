/// The origins of web pages that may use the server, as a setting.
enum PageOrigins: Hashable, Sendable {
  case none
  case any
  case these(Set<String>)
}

extension PageOrigins: SettingValue {
  static var expectation: String {
    "none, any, or origins such as https://app.example.org with commas between them"
  }

  init?(settingText: String) {
    switch settingText {
    case "none": self = .none
    case "any": self = .any
    default:
      let origins = settingText.split(separator: ",", omittingEmptySubsequences: false)
      guard origins.allSatisfy(PageOrigins.isOrigin) else { return nil }
      self = .these(Set(origins.map(String.init)))
    }
  }

  /// Whether browsers would send the origin so: another spelling would never match (RFC 6454 §6.2).
  private static func isOrigin(_ text: Substring) -> Bool {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return false }
    let host = text[colon...].dropFirst(3)
    return colon > text.startIndex && !host.isEmpty && !host.contains { "/ *@?#".contains($0) }
      && text == text.lowercased()
  }

  var settingText: String {
    switch self {
    case .none: "none"
    case .any: "any"
    case .these(let origins): origins.sorted().joined(separator: ",")
    }
  }
}
