import GatehouseBSON
import GatehouseSharing
import Synchronization
import Testing

@testable import GatehouseFunctions

/// The memory that messages between the gateway and its workers take.
@Suite(.serialized, .enabled(if: FunctionsFixture.hasNode, "Node is not installed")) struct CallMemoryTests {
  private static let files = [
    "size.js": "exports = text => text.length;",
    "text.js": "exports = size => 'x'.repeat(size);",
    "nulls.js": "exports = count => new Array(count).fill(null);",
    "ask.js": "exports = () => context.realm.objects('A').length;",
    "cope.js":
      "exports = () => { try { context.realm.objects('A').length; } catch (error) { return error.code; } };",
  ]

  private static func with(_ body: (FunctionsFixture, SharedBudget) async throws -> Void) async throws {
    let memory = SharedBudget(of: .memory, capacity: 1 << 20)
    try await FunctionsFixture.with(files, [.set(\.memory, memory)]) { fixture async throws in
      try await body(fixture, memory)
      #expect(memory.used == 0)
    }
  }

  private static func text(_ count: Int) -> Value { .string(String(repeating: "x", count: count)) }

  @Test func `arguments and results count with four times their bytes`() async throws {
    try await Self.with { fixture, _ async throws in
      #expect(try await fixture.call("size", [Self.text(200_000)]) == .int32(200_000))
      #expect(await fixture.failure("size", [Self.text(300_000)]) == .overBudget(.exhausted))
      #expect(try await fixture.call("text", [.int32(200_000)]) == Self.text(200_000))
      #expect(await fixture.failure("text", [.int32(300_000)]) == .overBudget(.exhausted))
      #expect(fixture.log.lines.last?["outcome"] == .string("over_budget"))
    }
  }

  @Test func `the values of a result count, whatever bytes they have`() async throws {
    try await Self.with { fixture, _ async throws in
      // The result has about 100 KB: four times as much would have room.
      #expect(await fixture.failure("nulls", [.int32(16_000)]) == .overBudget(.exhausted))
      #expect(
        try await fixture.call("nulls", [.int32(8_000)]) == .array(Array(repeating: .null, count: 8_000)))
    }
  }

  @Test func `a caller's calls take half of the memory while they run, and small ones none`() async throws {
    try await Self.with { fixture, memory async throws in
      let held = Mutex<[Int]>([])
      var failure: FunctionError?
      for (own, others) in [(60_000, 0), (100_000, 0), (100_000, 400_000)] {
        let reservation = memory.reservation(for: .process)
        try reservation.grow(to: others)
        do throws(FunctionError) {
          let call = Invocation(name: "ask", arguments: [Self.text(own)])
          _ = try await fixture.host.call(call) { _ in
            held.withLock { $0.append(memory.used) }
            return Question.Reply(["total": .string("0")])
          }
        } catch {
          failure = error
        }
        reservation.release()
      }
      #expect(failure == .overBudget(.share))
      let counts = held.withLock { $0 }
      #expect(counts.count == 2 && counts[0] == 0 && (400_000..<401_000).contains(counts[1]))
    }
  }

  @Test func `a reply for which there is no room is an error in the function, and of its call`() async throws
  {
    try await Self.with { fixture, _ async throws in
      let reply: Question.Respondent = { _ in Question.Reply(["total": Self.text(300_000)]) }
      await #expect(throws: FunctionError.overBudget(.exhausted)) { try await fixture.call("ask", [], reply) }
      #expect(try await fixture.call("cope", [], reply) == .string("OverBudget"))
    }
  }
}
