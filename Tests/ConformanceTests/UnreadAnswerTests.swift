import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import Testing

/// Clients that ask for much and read nothing, through a real server.
@Suite struct UnreadAnswerTests {
  private static let schema = Schema([
    ObjectType(
      name: "Note",
      properties: [
        Property(name: "id", type: .one(.int, optional: false)),
        Property(name: "text", type: .one(.string, optional: false)),
      ],
      primaryKey: "id")
  ])

  /// The bytes of the note's text: more than what the system takes of an answer that nobody reads.
  private static let size = 8_000_000

  /// Lets others go on until the condition holds. One that never does is a failure, not a test without end.
  private static func until(_ condition: () -> Bool) async {
    for _ in 0..<10_000_000 {
      if condition() { return }
      await Task.yield()
    }
    Issue.record("the condition does not come to hold")
  }

  @Test func `answers that nobody reads take a caller's share of the memory, and others are served`()
    async throws
  {
    var options = StoreOptions()
    options.sharedMemory = 64 << 20
    let served = try await ServedStore(Self.schema, options: options)
    let memory = served.store.memory
    let text = String(repeating: "x", count: Self.size)
    let made = try served.connection.send(
      "POST", "/v1/collections/Note", json: Array(#"{"id":1,"text":"\#(text)"}"#.utf8))
    #expect(made.status == 201)
    await Self.until { memory.used == 0 }

    // With four answers the caller holds more than what is free.
    let note = "/v1/collections/Note/1"
    var idle: [LoopbackConnection] = []
    for count in 1...4 {
      let connection = try served.connect(buffer: 4_096)
      try connection.ask("GET", note)
      idle.append(connection)
      await Self.until { memory.used > count * Self.size }
    }
    for target in [note, "/v1/collections/Note"] {
      let refused = try served.connection.send("GET", target)
      #expect(refused.status == 429 && refused.content.contains(#""code":"share_exceeded""#))
    }
    // Small answers are sent nevertheless, and another address has a share of its own.
    #expect(try served.connection.send("GET", "\(note)?fields=id").content == #"{"id":1}"#)
    let other = try served.connect(from: 0x7f00_0002).send("GET", note)
    #expect(other.status == 200 && other.content.utf8.count > Self.size)

    idle = []
    await Self.until { memory.used == 0 }
    #expect(try served.connection.send("GET", note).content == other.content)
    await Self.until { memory.used == 0 }
    await served.remove()
  }
}
