import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseSharing
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

/// Shares of memory for answers that have not left. Sockets let go of what answers retain: `UnreadAnswerTests`.
@Suite struct AnswerShareTests {
  private static let text = String(repeating: "x", count: 300_000)

  /// A gateway with so many bytes of memory, and cities whose names are the text.
  private static func with(
    memory: Int = 1 << 20, cities: Int = 1, functions: FunctionHost = FunctionHost(),
    _ body: (Fixture) async throws -> Void
  ) async throws {
    let fixture = try await Fixture(functions: functions, storeOptions: { $0.sharedMemory = memory })
    for id in 1...cities {
      let made = try await fixture.send(
        .post, "/v1/collections/City", json: #"{"_id":\#(id),"name":"\#(text)"}"#)
      try #require(made.status == 201)
    }
    try await body(fixture)
    await fixture.remove()
  }

  private static func send(
    _ fixture: Fixture, _ method: GatehouseHTTP.Method, _ target: String, json: String? = nil,
    _ fields: [String: String] = [:], from address: UInt32 = 1
  ) async -> Response {
    await fixture.respond(
      method, target, fields.merging(json == nil ? [:] : ["content-type": "application/json"]) { $1 },
      json.map { Array($0.utf8) }, from: .ipv4(address, port: 1))
  }

  private static let city = "/v1/collections/City/1"

  @Test func `an answer counts as held as long as it is there, and one that is not sent does not`()
    async throws
  {
    try await Self.with { fixture in
      let memory = fixture.store.memory
      #expect(memory.used == 0)
      var first: Response? = await Self.send(fixture, .get, Self.city)
      #expect(try await Answer(#require(first)).content.count == memory.used)
      #expect(memory.used > Self.text.utf8.count)
      let second = await Self.send(fixture, .get, Self.city)
      let third = try await Answer(Self.send(fixture, .get, Self.city))
      #expect((third.status, third.code, third.fields["retry-after"]) == (429, "share_exceeded", "1"))
      let head = await Self.send(fixture, .head, Self.city)
      #expect(head.status == .ok && head.retained == nil)
      withExtendedLifetime(second) { first = nil }
      #expect(await Self.send(fixture, .get, Self.city).status == .ok)
    }
  }

  @Test func `answers to writes are counted and not refused, but who overdraws by them writes no more`()
    async throws
  {
    try await Self.with { fixture in
      let memory = fixture.store.memory
      var answers: [Response] = []
      for id in 2...5 {
        let city = #"{"_id":\#(id),"name":"\#(Self.text)"}"#
        answers.append(await Self.send(fixture, .post, "/v1/collections/City", json: city))
      }
      #expect(answers.allSatisfy { $0.status == .created })
      #expect(memory.used > 1 << 20)
      let version = fixture.store.version
      let small = #"{"_id":6,"name":"a"}"#
      let refused = try await Answer(Self.send(fixture, .post, "/v1/collections/City", json: small))
      #expect((refused.status, refused.code, refused.fields["retry-after"]) == (503, "memory_exhausted", "1"))
      #expect(fixture.store.version == version)
      #expect(await Self.send(fixture, .get, "\(Self.city)?fields=_id").status == .ok)
      let others = await Self.send(fixture, .post, "/v1/collections/City", json: small, from: 2)
      #expect(others.status == .created)
      answers = []
      #expect(memory.used == 0)
      let deleted = await Self.send(fixture, .delete, "/v1/collections/City/6")
      #expect(deleted.status == .noContent)
    }
  }

  @Test func `the result of a function that is more than its caller's share is refused`() async throws {
    let functions = FunctionHost()
    functions.register("text") { _ in .string(Self.text) }
    try await Self.with(functions: functions) { fixture in
      func call() async -> Response { await Self.send(fixture, .post, "/v1/functions/text", json: "[]") }
      let answers = [await call(), await call()]
      #expect(answers.allSatisfy { $0.status == .ok })
      let refused = try await Answer(call())
      #expect((refused.status, refused.code, refused.fields["retry-after"]) == (429, "share_exceeded", "1"))
      withExtendedLifetime(answers) {}
    }
  }

  @Test func `the largest piece of a streamed answer counts up to the end, or ends it`() async throws {
    try await Self.with(memory: 8 << 20, cities: 5) { fixture in
      let memory = fixture.store.memory
      let lines = ["accept": "application/x-ndjson"]
      let response = await Self.send(fixture, .get, "/v1/collections/City", lines)
      guard case .stream(let produce) = response.body else {
        Issue.record("the answer is not streamed")
        return
      }
      let writer = MeasuringWriter(memory)
      try await produce(writer)
      let pieces = writer.pieces
      #expect(pieces.count == 2 && pieces[0].bytes > 1 << 20 && pieces[1].bytes < pieces[0].bytes)
      #expect(pieces.allSatisfy { $0.held == pieces[0].bytes })
      #expect(memory.used == 0)

      let other = memory.reservation(for: Caller(address: 2))
      try other.grow(to: 8 << 20)
      await #expect(throws: BudgetError(.memory, .exhausted)) { try await produce(writer) }
      #expect(writer.pieces.count == 2)
    }
  }
}

/// Notes of each piece how many bytes it has, and how many are held meanwhile.
private final class MeasuringWriter: BodyWriter {
  private let memory: SharedBudget
  private let state = Mutex<[(bytes: Int, held: Int)]>([])

  init(_ memory: SharedBudget) {
    self.memory = memory
  }

  var pieces: [(bytes: Int, held: Int)] { state.withLock { $0 } }

  func write(_ bytes: [UInt8]) async throws {
    state.withLock { $0.append((bytes.count, memory.used)) }
  }
}
