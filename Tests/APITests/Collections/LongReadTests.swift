import Dispatch
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

/// Reads that are too long for an event loop, and streams.
@Suite struct LongReadTests {
  private static let schema = """
    [{"name": "A", "primaryKey": "id", "properties": {"id": "int", "text": "string", "links": "A[]",
      "all": {"type": "linkingObjects", "objectType": "A", "property": "links"}}}]
    """
  private static let endless = "filter=ALL+links.links.links.links.links.id+%3C+64"

  private func populate(_ fixture: Fixture) async throws {
    let links = (0..<64).map(String.init).joined(separator: ",")
    let objects = (0..<64).map { #"{"id":\#($0),"text":"x","links":[\#(links)]}"# }
    let answer = try await fixture.send(
      .post, "/v1/collections/A", json: "[\(objects.joined(separator: ","))]")
    #expect(answer.status == 201, "\(answer.text)")
  }

  private func request(_ target: String, _ accept: String = "*/*") -> Request {
    let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
    return Request(
      method: .get, target: Target(path: halves[0], query: halves[1]),
      fields: Fields([Fields.Line(name: "accept", value: accept)]), body: .empty)
  }

  @Test func `others are answered while a query takes long, which ends with its client`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      try await populate(fixture)
      let long = request("/v1/collections/A?\(Self.endless)")
      let gateway = fixture.gateway
      // Returns as soon as the query has left the loop, which this thread stands for.
      let task = Task.immediate { await gateway.respond(to: long) }
      #expect(try await fixture.send(.get, "/v1/collections/A/7?fields=id").text == #"{"id":7}"#)
      #expect(
        try await fixture.send(.get, "/v1/collections/A?filter=id+%3E+62&fields=id").text == #"[{"id":63}]"#)
      task.cancel()
      let answer = try await Answer(task.value)
      #expect(answer.status == 503)
      #expect(answer.code == "cancelled")
    }
  }

  /// A filter of more than 4 KiB, which is refused as soon as it is planned.
  private static let large = "\(Array(repeating: "id==1", count: 900).joined(separator: "+OR+"))+OR+none==1"

  @Test(
    arguments: [
      (.get, "A?filter=", "*/*"), (.delete, "A?filter=", "*/*"), (.patch, "A?filter=", "*/*"),
      (.get, "A?filter=", "text/event-stream"), (.get, "A?mode=results&filter=", "text/event-stream"),
      (.get, "A/7/links?filter=", "*/*"),
      (.get, "A/7/all?filter=", "*/*"), (.get, "A/7/all?filter=", "text/event-stream"),
    ] as [(GatehouseHTTP.Method, String, String)])
  func `a large filter is planned in its turn, beside the loop`(
    method: GatehouseHTTP.Method, target: String, accept: String
  ) async throws {
    let fixture = try await Fixture(Self.schema, storeOptions: { $0.readers = 1 })
    try await populate(fixture)
    let (store, gateway, gate) = (fixture.store, fixture.gateway, DispatchSemaphore(value: 0))
    let others = Task.immediate { try await store.read { _ in gate.wait() } }
    var request = request("/v1/collections/\(target)\(Self.large)", accept)
    request.method = method
    if method == .patch {
      request.fields.append("content-type", "application/json")
      request.body = .bytes(Array(#"{"text":"y"}"#.utf8))
    }
    let isAnswered = Mutex(false)
    // Returns as soon as the request has left the loop.
    let task = Task.immediate { [request] in
      let response = await gateway.respond(to: request)
      isAnswered.withLock { $0 = true }
      return response
    }
    #expect(!isAnswered.withLock { $0 })
    #expect(try await fixture.send(.get, "/v1/collections/A/7?fields=id").text == #"{"id":7}"#)
    gate.signal()
    try await others.value
    let answer = try await Answer(task.value)
    #expect((answer.status, answer.code) == (400, "invalid_query"), "\(answer.text)")
    await fixture.remove()
  }

  @Test func `a stream makes no more than a piece before the client has taken the last`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let text = String(repeating: "x", count: 1 << 17)
      for id in 0..<40 {
        let answer = try await fixture.send(
          .post, "/v1/collections/A", json: #"{"id":\#(id),"text":"\#(text)"}"#)
        #expect(answer.status == 201)
      }
      let response = await fixture.gateway.respond(
        to: request("/v1/collections/A?sort=id", "application/x-ndjson"))
      guard case .stream(let produce) = response.body else {
        Issue.record("not a stream")
        return
      }
      let writer = Pieces()
      try await produce(writer)
      let sizes = writer.sizes.withLock { $0 }
      #expect(sizes.count >= 5)
      #expect(sizes.allSatisfy { $0 < FindObjects.pieceSize + (1 << 17) + 100 }, "\(sizes)")
      let lines = (0..<40).map { #"{"id":\#($0),"text":"\#(text)","links":[]}"#.utf8.count + 1 }
      #expect(sizes.reduce(0, +) == lines.reduce(0, +))
      #expect(writer.mostAtOnce.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `classes changed at the same time all stay`() async throws {
    try await Fixture.with("[]") { fixture in
      let gateway = fixture.gateway
      let tasks = (0..<16).map { index in
        Task {
          let request = Request(
            method: .put, target: Target(path: "/v1/schema/C\(index)", query: nil),
            fields: Fields([Fields.Line(name: "content-type", value: "application/json")]),
            body: .bytes(Array(#"{"properties":{"n":"int"}}"#.utf8)))
          return await gateway.respond(to: request).status
        }
      }
      for task in tasks { #expect(await task.value == .created) }
      let names = fixture.store.schema.objectTypes.map(\.name).sorted()
      #expect(names == (0..<16).map { "C\($0)" }.sorted())
    }
  }
}

/// Counts the pieces of a stream.
private final class Pieces: BodyWriter {
  let sizes = Mutex<[Int]>([])
  let mostAtOnce = Atomic(0)
  private let current = Atomic(0)

  func write(_ bytes: [UInt8]) async throws {
    let now = current.add(1, ordering: .relaxed).newValue
    mostAtOnce.max(now, ordering: .relaxed)
    await Task.yield()
    sizes.withLock { $0.append(bytes.count) }
    current.subtract(1, ordering: .relaxed)
  }
}
