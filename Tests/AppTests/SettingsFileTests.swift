import GatehouseAPI
import GatehouseBSON
import GatehouseHTTP
import GatehouseSharing
import GatehouseStorage
import GatehouseTestSupport
import Testing

@testable import GatehouseApp

/// The file of settings, when it changes while the server runs.
@Suite struct SettingsFileTests {
  /// Makes policies of the settings that these tests look at.
  private static func policies(_ settings: Settings, _ rates: RateLimiter?) -> RequestPolicies {
    var policies = RequestPolicies()
    policies.durability = settings.durability
    policies.conditionalWrites = settings.requireIfMatch
    policies.rates = rates ?? RateLimiter(requestsPerSecond: settings.requestsPerSecond, burst: 1) { 0 }
    return policies
  }

  private func with(
    _ content: String, flags: [(flag: String, text: String)] = [],
    _ body: (SettingsFile, SharedPolicies, Warnings, (String) -> Void) async throws -> Void
  ) async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    #expect(Machine.run("mkdir '\(folder)'").status == 0)
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let write = { (text: String) in
      #expect(Machine.run("printf '%s' '\(text)' > '\(folder)/gatehouse.json'").status == 0)
    }
    write(content)
    let sources = SettingsSources(Environment([("GATEHOUSE_DATA", folder)]), flags: flags)
    let settings = try sources.settings()
    let policies = SharedPolicies(Self.policies(settings, nil))
    let warnings = Warnings()
    let file = SettingsFile(
      settings, from: sources, for: policies, warn: { warnings.append($0) }, Self.policies)
    try await body(file, policies, warnings, write)
  }

  @Test func `settings of requests are in force at once, and others are named`() async throws {
    try await with(#"{"limits": {"fields": 50}}"#) { file, policies, warnings, write in
      write(#"{"limits": {"fields": 50}, "durability": "within:50ms", "requireIfMatch": "all"}"#)
      await file.reload()
      #expect(policies.value.durability == Durability(settingText: "within:50ms"))
      #expect(policies.value.requiresConditions)
      #expect(warnings.texts.isEmpty)
      write(#"{"limits": {"fields": 60, "headBytes": 9000}, "eventLoops": 3, "requireIfMatch": "all"}"#)
      await file.reload()
      await file.reload()
      #expect(policies.value.durability == .full)
      #expect(
        warnings.texts == [
          "in force when the server is started again: eventLoops, limits.headBytes, limits.fields"
        ])
    }
  }

  @Test func `a file that is wrong, or gone, leaves what there was, or the defaults`() async throws {
    try await with(#"{"durability": "within:50ms"}"#) { file, policies, warnings, write in
      for (text, part) in [
        ("{\n\"durability\": \"sometimes\"}", "gatehouse.json, line 2"), ("{", "gatehouse.json"),
        (#"{"durabilty": "full"}"#, "durabilty"),
        (#"{"cors": {"origins": "any", "credentials": true}}"#, "cors.origins"),
        (#"{"adminKey": "short"}"#, "adminKey"),
      ] {
        write(text)
        await file.reload()
        let warning = try #require(warnings.texts.last)
        #expect(warning.contains(part) && warning.hasSuffix("(the old settings stay)"), "\(warning)")
        #expect(policies.value.durability == Durability(settingText: "within:50ms"))
      }
      write("{}")
      await file.reload()
      #expect(policies.value.durability == .full)
    }
  }

  @Test func `a flag wins over the file, and buckets of rates stay while their numbers do`() async throws {
    let flags = [
      (flag: "--durability", text: "within:70ms"), (flag: "--limits-requests-per-second", text: "5"),
    ]
    try await with("{}", flags: flags) { file, policies, _, write in
      let rates = policies.value.rates
      write(#"{"durability": "full", "requireIfMatch": "all", "limits": {"requestsPerSecond": 7}}"#)
      await file.reload()
      #expect(policies.value.durability == Durability(settingText: "within:70ms"))
      #expect(policies.value.requiresConditions)
      #expect(policies.value.rates === rates)
      write(#"{"limits": {"requestBurst": 7}}"#)
      await file.reload()
      #expect(policies.value.rates !== rates)
    }
  }
}

extension SharedPolicies {
  fileprivate var value: RequestPolicies {
    var value = RequestPolicies()
    update { value = $0 }
    return value
  }
}

extension RequestPolicies {
  fileprivate var requiresConditions: Bool {
    if case .required = conditionalWrites { true } else { false }
  }
}
