import GatehouseBSON
import GatehouseTestSupport
import Testing

@testable import GatehouseApp

/// `docker/cluster.yaml`, as the programs in its containers read it.
struct ComposeFileTests {
  private let text: String

  init() throws {
    let outcome = Machine.run("cat '\(Machine.root)/docker/cluster.yaml'")
    try #require(outcome.status == 0)
    text = outcome.output
  }

  /// The variables of the containers, the words in quotes without these.
  private var variables: [(name: String, value: String)] {
    text.matches(of: /(GATEHOUSE_[A-Z_]+): (?:"([^"]*)"|\$\{[^}]*\}|([^ ,}\n]+))/).map { match in
      // Compose takes the key from whoever starts it.
      (String(match.1), String(match.2 ?? match.3 ?? "a key of sixteen or more"))
    }
  }

  /// The content of a file that the containers get.
  private func configuration(_ name: String) throws -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "  \(name):"))
    let content = lines[(start + 2)...].prefix { $0.hasPrefix("      ") }
    return content.map { $0.dropFirst(6) + "\n" }.joined().replacing("$$", with: "$")
  }

  /// Checks a configuration with a program's own option for that.
  private func check(_ configuration: String, _ command: (String) -> String) {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    let outcome = Machine.run(
      "mkdir '\(folder)' && cat >'\(folder)/conf' <<'END'\n\(configuration)\nEND\n\(command(folder)) 2>&1")
    _ = Machine.run("rm -r '\(folder)'")
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test func `every variable is a setting with a value that it takes, and each gateway is a node`() throws {
    let variables = variables
    let addresses = variables.filter { $0.name == "GATEHOUSE_CLUSTER_ADDRESS" }.map(\.value)
    #expect(addresses == (1...3).map { "gatehouse\($0):8080" })
    for (name, value) in variables {
      let setting = try #require(Settings.table.first { $0.environmentName == name }, "\(name)")
      var settings = Settings()
      #expect(setting.assign(&settings, value), "\(name): \(value)")
    }
    let shared = variables.filter { $0.name != "GATEHOUSE_CLUSTER_ADDRESS" }
    for address in addresses {
      let sources = SettingsSources(
        Environment(shared.map { ($0.name, $0.value) } + [("GATEHOUSE_CLUSTER_ADDRESS", address)]), flags: [])
      let settings = try sources.settings()
      try settings.requireAgreement()
      #expect(try ClusterNode.of(settings)?.address == address)
      #expect(text.contains("server \(address) "), "the balancer does not know \(address)")
    }
  }

  @Test(.enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"))
  func `the log servers take their configuration`() throws {
    let configuration = try configuration("nats.conf")
    #expect(
      configuration.contains("sync_interval: always") && configuration.contains(#"http: "0.0.0.0:8222""#))
    check(configuration) { "'\(Machine.natsServer ?? "")' -t -c '\($0)/conf'" }
  }

  @Test(.enabled(if: Machine.program("nginx") != nil, "nginx is not there"))
  func `the balancer takes its configuration`() throws {
    let hosts = try configuration("nginx.conf").replacing(/gatehouse[123]:/, with: "127.0.0.1:")
    check("events {}\nhttp {\n\(hosts)}") { "nginx -t -e '\($0)/log' -g 'pid \($0)/pid;' -c '\($0)/conf'" }
  }
}
