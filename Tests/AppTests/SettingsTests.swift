import GatehouseBSON
import GatehouseHTTP
import GatehouseServer
import Testing

@testable import GatehouseApp

struct SettingsTests {
  @Test func `a setting has one name, spelt three ways`() throws {
    let setting = try #require(Settings.table.first { $0.name == "limits.connectionsPerAddress" })
    #expect(setting.environmentName == "GATEHOUSE_LIMITS_CONNECTIONS_PER_ADDRESS")
    #expect(setting.flag == "--limits-connections-per-address")
  }

  @Test func `the names of the settings are unique`() {
    #expect(Set(Settings.table.map(\.flag)).count == Settings.table.count)
    #expect(Set(Settings.table.map(\.environmentName)).count == Settings.table.count)
  }

  private static func file(_ text: String) throws -> ConfigurationFile {
    try ConfigurationFile(path: "f.json", text: Array(text.utf8))
  }

  @Test func `comments end with their lines, and begin in no text`() throws {
    var settings = Settings()
    try settings.apply(
      Self.file(
        """
        // Where everything is: "data".
        {"data": "a//b", // and this is "not"
         "limits": {// "idleSeconds": 1,
           "headSeconds": 3}} // \\
        """))
    #expect((settings.data, settings.idleSeconds, settings.headSeconds) == ("a//b", 75, 3))
  }

  @Test func `a wrong value is told with its line`() throws {
    var settings = Settings()
    #expect(
      throws: CommandError.invalidValue(
        name: "listen (in f.json, line 2)", text: "8080",
        expected: Settings.table.first { $0.name == "listen" }?.expectation ?? "")
    ) { try settings.apply(Self.file("{\n\"listen\": \"8080\"}")) }
  }

  @Test func `flags win over the environment, and the environment over the file`() throws {
    var settings = Settings()
    try settings.apply(Self.file(#"{"$schema": "x", "data": "file", "listen": "127.0.0.1:1"}"#))
    #expect(settings.data == "file")
    let both = try Settings(
      SettingsSources(
        Environment([
          ("GATEHOUSE_DATA", "environment"), ("GATEHOUSE_LISTEN", "[::1]:2"), ("PATH", "/bin"),
        ]), flags: [("--data", "flag")]))
    #expect(both.data == "flag")
    #expect(both.listen == [.ipv6(0, 1, port: 2)])
  }

  @Test func `an unknown setting is an error that names the nearest`() {
    let variable = Environment([("GATEHOUSE_LISEN", "x")])
    #expect(
      throws: CommandError.unknownSetting(
        "GATEHOUSE_LISEN", source: "the environment", nearest: "GATEHOUSE_LISTEN")
    ) { try Settings(SettingsSources(variable, flags: [])) }
    var settings = Settings()
    #expect(throws: CommandError.unknownSetting("dta", source: "f.json, line 2", nearest: "data")) {
      try settings.apply(Self.file("{\n  \"dta\": \"x\"}"))
    }
    let inner = "{\"limits\": {\n\n\"idleSecond\": 1}}"
    #expect(
      throws: CommandError.unknownSetting(
        "limits.idleSecond", source: "f.json, line 3", nearest: "limits.idleSeconds")
    ) { try settings.apply(Self.file(inner)) }
  }

  @Test(arguments: [
    ("--listen", "8080"), ("--listen", "example.com:80"), ("--listen", "::1:8080"),
    ("--listen", "[127.0.0.1]:1"),
    ("--listen", "127.0.0.1:65536"), ("--listen", "127.0.0.1:"), ("--data", ""), ("--event-loops", "-1"),
    ("--event-loops", "two"),
    ("--hosts", "a,"), ("--hosts", "a:80"), ("--hosts", "http://a"), ("--cors-origins", "https://a/"),
    ("--cors-origins", "a.example"), ("--cors-origins", "https://A.example"), ("--cors-origins", "*"),
    ("--server-timing", "yes"),
  ])
  func `a value of the wrong form is refused`(flag: String, text: String) throws {
    let setting = try #require(Settings.table.first { $0.flag == flag })
    let error = CommandError.invalidValue(name: flag, text: text, expected: setting.expectation)
    #expect(throws: error) {
      try Settings(SettingsSources(Environment([]), flags: [(flag, text)]))
    }
  }

  @Test(arguments: [("--audit-always", "Patient:read"), ("--audit-events", "refused")])
  func `what is to be recorded is not left out because of another setting`(flag: String, text: String) throws
  {
    let flags = [("--audit", "off"), (flag, text)]
    #expect(
      throws: CommandError.invalidValue(
        name: "audit", text: "off", expected: "onDemand where audit.always or audit.events is set")
    ) { try Settings(SettingsSources(Environment([]), flags: flags)) }
    _ = try Settings(SettingsSources(Environment([]), flags: [flags[1]]))
    _ = try Settings(SettingsSources(Environment([]), flags: [flags[0]]))
  }

  @Test(arguments: [
    ("127.0.0.1:8080", true), ("127.9.9.9:1", true), ("[::1]:0", true), ("0.0.0.0:8080", false),
    ("[::]:8080", false), ("10.1.2.3:80", false),
  ])
  func `an address is read, written and recognised as loopback`(text: String, isLoopback: Bool) throws {
    let addresses = try #require([SocketAddress](settingText: text))
    #expect(addresses.settingText == text)
    let address = try #require(addresses.first)
    #expect(address.isLoopback == isLoopback)
    #expect(address.local.isLoopback || text.hasPrefix("10."))
  }

  @Test func `hosts and origins become policies`() throws {
    func settings(_ flags: [(String, String)]) throws -> Settings {
      try Settings(SettingsSources(Environment([]), flags: flags))
    }
    let usual = try settings([])
    #expect((usual.hostPolicy(isGuarded: false), usual.corsPolicy) == (HostPolicy(.loopback), nil))
    let remote = try settings([
      ("--hosts", "A.example,[fd00::1]"),
      ("--cors-origins", "https://a.example,http://localhost:3000"), ("--cors-credentials", "true"),
      ("--cors-max-age-seconds", "5"),
    ])
    #expect(remote.hostPolicy(isGuarded: false) == HostPolicy(.loopback, names: ["a.example", "[fd00::1]"]))
    #expect(
      remote.corsPolicy
        == CORSPolicy(
          origins: .these(["https://a.example", "http://localhost:3000"]), allowsCredentials: true,
          maximumAge: 5))
    #expect(try settings([("--hosts", "any")]).hostPolicy(isGuarded: false) == HostPolicy(.any))
    #expect(try settings([("--cors-origins", "any")]).corsPolicy == CORSPolicy(origins: .any))
  }

  @Test func `the help lists every setting with its three names and its default`() {
    let text = HelpText.settings(Settings.table)
    for setting in Settings.table {
      for part in [setting.name, setting.environmentName, setting.flag, "Default: \(setting.defaultText)"] {
        #expect(text.contains(part))
      }
    }
  }
}
