import Testing

@testable import GatehouseAudit

@Suite struct PolicyTests {
  private static let policy = Policy(always: ["*": .read, "Secret": [.read, .write], "Noise": []])

  @Test(arguments: [
    ("Secret", true, true), ("Other", true, false), ("Noise", false, false), ("AuditEvent", false, false),
  ])
  func `a class has its own rule or that of all others, and the trail has none`(
    name: String, isRead: Bool, isWritten: Bool
  ) {
    #expect(Self.policy.records(.read, of: name) == isRead)
    #expect(Self.policy.records(.write, of: name) == isWritten)
  }

  @Test func `nothing is recorded of any class where recording is off`() {
    #expect(Self.policy.records(.write))
    #expect(!Policy(isEnabled: false, always: Self.policy.always).records(.write))
    #expect(!Policy(always: ["A": .read]).records(.write))
    #expect(!Policy.onDemand.records(.read))
  }
}
