import GatehouseOutbound

/// The private addresses that may be connected to where somebody else's name or redirection leads there.
struct OutboundRanges: Hashable, Sendable {
  private(set) var ranges: [AddressRange] = []
  private(set) var texts: [String] = []

  static let expectation = "none, or addresses and networks such as 10.0.0.0/8, with commas between them"

  init() {}

  init?(settingText: String) {
    if settingText == "none" { return }
    for text in settingText.split(separator: ",", omittingEmptySubsequences: false) {
      guard let range = AddressRange(String(text)) else { return nil }
      ranges.append(range)
      texts.append(String(text))
    }
  }

  var settingText: String { texts.isEmpty ? "none" : texts.joined(separator: ",") }
}
