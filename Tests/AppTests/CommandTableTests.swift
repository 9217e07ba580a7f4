import Testing

@testable import GatehouseApp

struct CommandTableTests {
  @Test(arguments: [
    (["serve"], "serve", []), (["schema", "apply", "f"], "schema apply", ["f"]), ([], "help", []),
    (["--help", "serve"], "help", ["serve"]), (["--version"], "version", []),
    (["schema"], "help", ["schema"]), (["key", "--help"], "help", ["key"]),
  ])
  func `one or two words name a command`(words: [String], name: String, rest: [String]) throws {
    let found = try CommandTable.find(words)
    #expect(found.command.synopsis.name == name)
    #expect(found.rest == rest)
  }

  @Test(arguments: [(["exprot"], "exprot", "export"), (["schema", "aply"], "schema aply", "schema apply")])
  func `an unknown command is answered with the nearest one`(words: [String], name: String, nearest: String) {
    let error = CommandError.unknownCommand(name)
    #expect(throws: error) { try CommandTable.find(words) }
    #expect(error.text == "there is no command '\(name)'; did you mean '\(nearest)'?")
  }

  @Test(arguments: CommandTable.names)
  func `every command explains itself in lines of at most 100 characters`(name: String) throws {
    let synopsis = try #require(CommandTable.named(name)).synopsis
    #expect(!synopsis.summary.isEmpty && synopsis.summary.hasSuffix("."))
    let page = HelpText.page(on: synopsis)
    #expect(page.hasPrefix("Usage: gatehouse \(name)"))
    for line in page.split(separator: "\n").dropFirst() {
      #expect(line.count <= 100, "\(line)")
    }
  }
}
