import Testing

@testable import GatehouseApp

@Suite struct ManualPageTests {
  private static let command = Synopsis(
    "dance", summary: "Dances.", operands: ["PARTNER", "FLOOR"], optionalOperands: 1,
    options: [.init(name: "--music", value: "FILE", help: ".wav or 'none', a\\b.")],
    settings: .some(["data"]))

  @Test func `the page of commands has each with its operands, options and settings`() {
    let page = ManualPage.commands([Self.command], version: "1.2")
    #expect(page.hasPrefix(".TH GATEHOUSE 1 \"\" \"Gatehouse 1.2\"\n"))
    #expect(page.contains(".B gatehouse dance\nPARTNER [FLOOR] [OPTION…]\n"))
    #expect(page.contains("\\fB\\-\\-music\\fR \\fIFILE\\fR\n"))
    #expect(page.contains("flags of these settings: \\-\\-data."))
  }

  @Test func `a text is no request and no escape`() {
    let page = ManualPage.commands([Self.command], version: "1.2")
    #expect(page.contains("\n\\&.wav or 'none', a\\eb.\n"))
  }

  @Test func `the page of settings has each with its three names`() {
    let page = ManualPage.settings(Settings.table, version: "1.2")
    for setting in Settings.table {
      #expect(page.contains(".B \(setting.name)\n"))
      #expect(page.contains("\(setting.environmentName), \(setting.flag.replacing("-", with: "\\-"))"))
    }
  }

  @Test func `every command is on the page`() {
    let page = ManualPage.commands(CommandTable.all.map { $0.synopsis }, version: "1.2")
    for name in CommandTable.names {
      #expect(page.contains(".SS gatehouse \(name.replacing("-", with: "\\-"))\n"))
    }
  }
}
