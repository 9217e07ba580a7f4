import GatehouseAPI

extension ConditionalWrites: SettingValue {
  static var expectation: String { "none, all, or names of classes with commas between them" }

  init?(settingText: String) {
    switch settingText {
    case "none": self = .optional
    case "all": self = .required
    default:
      let names = settingText.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard !names.contains("") else { return nil }
      self = .requiredFor(Set(names))
    }
  }

  var settingText: String {
    switch self {
    case .optional: "none"
    case .required: "all"
    case .requiredFor(let types): types.sorted().joined(separator: ",")
    }
  }
}
