import Testing

/// Settings as they reach the program.
struct SettingsTests {
  @Test func `beyond loopback it listens only where there is a key`() throws {
    let folder = try Folder()
    let refused = try Gatehouse.run(["serve", "--listen", "0.0.0.0:0", "--data", folder.data], in: folder)
    #expect(refused.status == 2)
    #expect(refused.error.contains("whoever reaches it can read, change and delete everything"))
  }

  @Test func `the file, the environment and the flags win in rising order`() throws {
    let folder = try Sample.nodeStore()
    let file = try folder.write(#"{"data": "file", "limits": {"connections": 7}}"#, to: "settings.json")
    let command = ["export", "Node", "--config", file]
    let fromFile = try Gatehouse.run(command, in: folder)
    #expect(fromFile.error.contains("there is no class 'Node'"))
    let fromEnvironment = try Gatehouse.run(command, environment: ["GATEHOUSE_DATA=data"], in: folder)
    #expect(fromEnvironment.status == 0)
    let fromFlags = try Gatehouse.run(
      command + ["--data", "flag"], environment: ["GATEHOUSE_DATA=data"], in: folder)
    #expect(fromFlags.error.contains("there is no class 'Node'"))
  }

  @Test(arguments: [
    (
      #"{"dta": "x"}"#,
      "there is no setting 'dta' (in settings.json, line 1); did you mean 'data'?\nTry: gatehouse help settings"
    ),
    (
      #"{"limits": {"conections": 7}}"#,
      """
      there is no setting 'limits.conections' (in settings.json, line 1); did you mean 'limits.connections'?
      Try: gatehouse help settings
      """
    ),
    (
      #"{"listen": 8080}"#,
      """
      listen (in settings.json, line 1) must be addresses with ports, such as 127.0.0.1:8080 or [::1]:8080, or unix:/path, with commas between them, or none, not '8080'
      """
    ),
    ("{\n  \"data\":\n}", "settings.json, line 3, column 1: Here a value should begin."),
  ])
  func `a mistake in the file is named`(content: String, text: String) throws {
    let folder = try Folder()
    _ = try folder.write(content, to: "settings.json")
    let outcome = try Gatehouse.run(["export", "Node", "--config", "settings.json"], in: folder)
    #expect(outcome.status == (content.contains("\n") ? 1 : 2))
    #expect(outcome.error == "gatehouse: \(text)\n")
  }

  @Test func `an unknown variable is named with the nearest`() throws {
    let folder = try Folder()
    let outcome = try Gatehouse.run(["export", "Node"], environment: ["GATEHOUSE_DATE=x"], in: folder)
    #expect(outcome.status == 2)
    #expect(outcome.error.hasPrefix("gatehouse: there is no setting 'GATEHOUSE_DATE' (in the environment); "))
    #expect(outcome.error.contains("did you mean 'GATEHOUSE_DATA'?"))
  }
}
