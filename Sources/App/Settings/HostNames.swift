/// The names that requests may be addressed to, as a setting.
enum HostNames: Hashable, Sendable {
  case any
  /// In lower case, without ports.
  case names(Set<String>)
}

extension HostNames: SettingValue {
  static var expectation: String { "none, any, or names without ports with commas between them" }

  init?(settingText: String) {
    switch settingText {
    case "none": self = .names([])
    case "any": self = .any
    default:
      let names = settingText.split(separator: ",", omittingEmptySubsequences: false)
      guard names.allSatisfy(HostNames.isName) else { return nil }
      self = .names(Set(names.map { $0.lowercased() }))
    }
  }

  private static func isName(_ text: Substring) -> Bool {
    let isAddress = text.hasPrefix("[") && text.hasSuffix("]")
    return !text.isEmpty && text.allSatisfy { !"/ *@".contains($0) && ($0 != ":" || isAddress) }
  }

  var settingText: String {
    switch self {
    case .any: "any"
    case .names([]): "none"
    case .names(let names): names.sorted().joined(separator: ",")
    }
  }
}
