import Dispatch
import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import Glibc
import Synchronization
import Testing

@testable import GatehouseAPI

/// Shares of memory and of room on the disk for the contents that callers send.
@Suite struct ContentShareTests {
  /// A gateway with 8 MiB of memory, where a byte of content takes four, and 8 MiB on the disk.
  private static func with(
    memory: Int = 8 << 20, files: Int = 8 << 20, audit: Auditing? = nil,
    _ body: (Fixture) async throws -> Void
  ) async throws {
    let fixture = try await Fixture(
      audit: audit,
      storeOptions: { options in
        options.sharedMemory = memory
        options.temporaryFiles = files
      })
    try await body(fixture)
    await fixture.remove()
  }

  private static func send(
    _ fixture: Fixture, _ content: any BodyReader, type: String = "application/json", from address: UInt32 = 1
  ) async throws -> Answer {
    var request = Request(
      method: .post, target: Target(path: "/v1/collections/City", query: nil),
      fields: Fields([Fields.Line(name: "content-type", value: type)]), body: .stream(content))
    request.peer = .ipv4(address, port: 1)
    return try await Answer(fixture.gateway.respond(to: request))
  }

  /// A city whose JSON has so many bytes.
  private static func city(_ id: Int, bytes count: Int) -> [UInt8] {
    let head = Array(#"{"_id":\#(id),"name":""#.utf8)
    let tail = Array("\"}".utf8)
    return head + [UInt8](repeating: UInt8(ascii: "x"), count: count - head.count - tail.count) + tail
  }

  /// Lets others go on until the condition holds. One that never does is a failure, not a test without end.
  private static func until(_ condition: () -> Bool) async {
    for _ in 0..<10_000_000 {
      if condition() { return }
      await Task.yield()
    }
    Issue.record("the condition does not come to hold")
  }

  @Test func `a caller's contents take half of the memory, another's have room, and all of it is given back`()
    async throws
  {
    try await Self.with { fixture in
      let (first, memory) = (SentContent(), fixture.store.memory)
      // Some bytes are left for its values, which come with the last one.
      let whole = Self.city(1, bytes: (1 << 20) - 1_000)
      first.send(Array(whole.dropLast()))
      async let answer = Self.send(fixture, first)
      await Self.until { memory.used == 4 * (whole.count - 1) }
      // With what the first takes, not one more of the caller's that counts has room.
      let second = try await Self.send(fixture, SentContent(Self.city(2, bytes: 100_000)))
      #expect((second.status, second.code, second.fields["retry-after"]) == (429, "share_exceeded", "1"))
      let others = try await Self.send(fixture, SentContent(Self.city(3, bytes: 500_000)), from: 2)
      #expect(others.status == 201)
      #expect(memory.used == 4 * (whole.count - 1))
      first.send([whole[whole.count - 1]])
      first.finish()
      #expect(try await answer.status == 201)
      #expect(memory.used == 0)
    }
  }

  @Test func `memory is given back after what is malformed, and when the client leaves`() async throws {
    try await Self.with { fixture in
      let malformed = try await Self.send(fixture, SentContent([UInt8](repeating: 0x7B, count: 200_000)))
      #expect((malformed.status, malformed.code) == (400, "malformed_json"))
      #expect(fixture.store.memory.used == 0)
      let content = SentContent()
      content.send([UInt8](repeating: 0x20, count: 200_000))
      async let answer = Self.send(fixture, content)
      await Self.until { fixture.store.memory.used == 800_000 }
      content.finish(throwing: BodyError.incomplete)
      #expect(try await answer.code == "incomplete_content")
      #expect(fixture.store.memory.used == 0)
    }
  }

  @Test func `contents of 64 KiB take nothing, and larger ones not more than there is`() async throws {
    try await Self.with(memory: 0) { fixture in
      #expect(try await Self.send(fixture, SentContent(Self.city(1, bytes: 65_536))).status == 201)
      let answer = try await Self.send(fixture, SentContent(Self.city(2, bytes: 65_537)))
      #expect((answer.status, answer.code, answer.fields["retry-after"]) == (503, "memory_exhausted", "1"))
      #expect(fixture.store.version == 2)
    }
  }

  @Test func `the values of a content count before they are decoded, whatever bytes they have`() async throws
  {
    // 200 KB, and 100,000 values.
    let values = "[\(Array(repeating: "0", count: 100_000).joined(separator: ","))]"
    let json = (#"{"_id":1,"name":\#(values)}"#, "application/json", "invalid_object")
    let lines = (#"{"_id":1,"name":\#(values)}\#n"#, "application/x-ndjson", "invalid_object")
    for (content, type, code) in [json, lines] {
      for (memory, expected) in [(2 << 20, "memory_exhausted"), (16 << 20, code)] {
        try await Self.with(memory: memory) { fixture in
          let answer = try await Self.send(fixture, SentContent(Array(content.utf8)), type: type)
          #expect(answer.code == expected, "\(answer.text)")
          #expect(fixture.store.memory.used == 0)
        }
      }
    }
  }

  @Test(arguments: [("0", false), ("0.5", false), (#"{"a":1,"b":[true]}"#, false), ("0", true)])
  func `the largest content that is allowed has room at the default limits, with small values too`(
    value: String, isBSON: Bool
  ) throws {
    // A part of it is counted, and stands for all: every value takes the same.
    let parts = 256
    let size = RequestLimits().contentSize / parts
    let text = "[\(Array(repeating: value, count: size / (value.utf8.count + 1)).joined(separator: ","))]"
    var bytes = Array(text.utf8)
    if isBSON { bytes = try Array((["a": Value(json: bytes)] as Document).bson().prefix(size)) }
    let budget = SharedBudget(of: .memory, capacity: StoreOptions().sharedMemory)
    let reservation = budget.reservation(for: .process)
    let whole = RequestLimits().contentSize * IncomingContent.growth
    try reservation.grow(to: whole)
    let values = ValueCount(of: bytes, isBSON: isBSON)
    #expect(values.elements > size / 40)
    try reservation.grow(to: whole + parts * values.memory)
  }

  @Test func `streams of lines count until their file is gone`() async throws {
    try await Self.with(memory: 64 << 20) { fixture in
      let (first, files) = (SentContent(), fixture.store.temporaryFiles)
      // Content goes to the file whenever more than 1 MiB has come: twice after 17 pieces, and not yet the rest.
      let spooled = 2 * 17 * SentContent.piece
      let lines = (0..<3).map { Self.city($0, bytes: 1_500_000) + [UInt8(ascii: "\n")] }
      first.send(lines[0] + lines[1])
      async let answer = Self.send(fixture, first, type: "application/x-ndjson")
      await Self.until { files.used == spooled }
      let second = try await Self.send(
        fixture, SentContent(lines[2] + lines[0] + lines[1]), type: "application/x-ndjson")
      #expect((second.status, second.code) == (429, "share_exceeded"))
      let others = try await Self.send(
        fixture, SentContent(lines[2]), type: "application/x-ndjson", from: 2)
      #expect(others.status == 201)
      await Self.until { files.used == spooled }
      first.finish()
      #expect(try await answer.status == 201)
      await Self.until { files.used == 0 }
      #expect(fixture.store.memory.used == 0)
    }
  }

  @Test func `a stream of lines for which there is no room is refused`() async throws {
    try await Self.with(memory: 64 << 20, files: 1 << 20) { fixture in
      let lines = SentContent(Self.city(1, bytes: 1_500_000))
      let answer = try await Self.send(fixture, lines, type: "application/x-ndjson")
      #expect((answer.status, answer.code) == (503, "upload_space_exhausted"))
      #expect(
        (fixture.store.temporaryFiles.used, fixture.store.memory.used, fixture.store.version) == (0, 0, 1))
    }
  }

  @Test func `a scope that has come to take more than its caller's share is not joined, and loses nothing`()
    async throws
  {
    try await Self.with(memory: 64 << 10, audit: Auditing()) { fixture in
      let memory = fixture.store.memory
      let text = String(repeating: "x", count: 40_000)
      _ = try await fixture.send(.post, "/v1/collections/City", json: #"{"_id":1,"name":"\#(text)"}"#)
      let scope = try await fixture.begin("round")
      let joining = ["audit-scope": scope]
      let read = try await fixture.send(.get, "/v1/collections/City/1?fields=_id", joining, nil)
      #expect(read.status == 200)
      let again = try await fixture.send(.get, "/v1/collections/City/1?fields=_id", joining, nil)
      #expect(again.status == 200)
      #expect(memory.used > 40_000 && memory.used <= 64 << 10)
      let refused = try await fixture.send(.get, "/v1/collections/City/1?fields=_id", joining, nil)
      #expect((refused.status, refused.code) == (503, "memory_exhausted"))
      #expect(try await fixture.end(scope) == 204)
      #expect(memory.used == 0)
      #expect(try await fixture.trail("activity,event") == ["round read"])
    }
  }

  @Test func `a caller has half of the scopes, and gets them back when they end`() async throws {
    var options = Recorder.Options()
    options.mostScopes = 4
    try await Self.with(audit: Auditing(options: options)) { fixture in
      func begin(from address: UInt32) async throws -> UInt16 {
        try await fixture.send(
          .post, "/v1/audit/scopes", ["content-type": "application/json"], Array(#"{"activity":"a"}"#.utf8),
          from: .ipv4(address, port: 1)
        ).status
      }
      let first = [try await begin(from: 1), try await begin(from: 1), try await begin(from: 1)]
      let other = [try await begin(from: 2), try await begin(from: 2)]
      #expect(first == [201, 201, 429] && other == [201, 429])
      #expect(try await fixture.end("1", "cancel") == 204)
      #expect(try await fixture.end("2") == 204)
      let again = [try await begin(from: 1), try await begin(from: 1), try await begin(from: 1)]
      #expect(again == [201, 201, 429])
    }
  }

  @Test(arguments: [((1 << 20), false), ((1 << 20) + 1, true)])
  func `what has more than 1 MiB is decoded on another thread`(size: Int, isElsewhere: Bool) async throws {
    try await Self.with(memory: 64 << 20) { fixture in
      let request = Request(
        method: .post, target: Target(path: "/v1/collections/City", query: nil), fields: Fields(),
        body: .stream(WholeContent([UInt8](repeating: 0x20, count: size))))
      let principal = Principal(.anyone, role: .administrator)
      let context = fixture.gateway.context
      let call = try Call(
        request, to: (.createObjects, captures: ["City"]),
        by: Requester(principal: principal, permit: nil, recording: nil), in: fixture.store.schemaState,
        limits: RequestLimits(),
        incoming: context.data.incomingContent(of: request, to: .createObjects, by: principal))
      let begun = DispatchSemaphore(value: 0)
      let task = Task.immediate {
        let here = pthread_self()
        return try await call.decode { bytes in
          begun.signal()
          return (bytes.count, pthread_equal(pthread_self(), here) == 0)
        }
      }
      // This thread does nothing else until then.
      Self.wait(for: begun)
      #expect(try await task.value == (size, isElsewhere))
    }
  }

  private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
}

/// Content that arrives when the test sends it.
private final class SentContent: BodyReader {
  static let piece = 65_536

  private let stream: AsyncThrowingStream<[UInt8], any Error>
  private let sender: AsyncThrowingStream<[UInt8], any Error>.Continuation

  init() {
    (stream, sender) = AsyncThrowingStream.makeStream()
  }

  /// All of it at once.
  convenience init(_ bytes: [UInt8]) {
    self.init()
    send(bytes)
    finish()
  }

  /// Sends bytes in pieces, as a socket brings them.
  func send(_ bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count, by: Self.piece) {
      sender.yield(Array(bytes[start..<min(start + Self.piece, bytes.count)]))
    }
  }

  func finish(throwing error: (any Error)? = nil) { sender.finish(throwing: error) }

  func read() async throws -> [UInt8]? {
    var iterator = stream.makeAsyncIterator()
    return try await iterator.next()
  }
}

/// Content that is there at once.
private final class WholeContent: BodyReader {
  private let rest: Mutex<[UInt8]?>

  init(_ bytes: [UInt8]) {
    rest = Mutex(bytes)
  }

  func read() async throws -> [UInt8]? {
    rest.withLock { rest in
      defer { rest = nil }
      return rest
    }
  }
}
