import Foundation
import Synchronization
import Testing

@testable import RealmSwift

/// Streams of changes whose events come faster than they are taken.
struct ChangeStreamTests {
  /// An app's server that sends a stream the pieces that it is given, and then nothing until it is told to end.
  private final class StreamingTransport: RLMNetworkTransport, @unchecked Sendable {
    private let pieces: AsyncStream<[UInt8]>
    private let feed: AsyncStream<[UInt8]>.Continuation
    private let wasEnded = Mutex(false)
    private let taken = Mutex(0)

    override init() { (pieces, feed) = AsyncStream<[UInt8]>.makeStream() }

    /// Whether the stream was given up.
    var isCancelled: Bool { wasEnded.withLock { $0 } }

    func send(_ text: String) { feed.yield(Array(text.utf8)) }

    func end() { feed.finish() }

    /// Waits until so many pieces have come to the stream.
    func waitUntilTaken(_ count: Int) async {
      while taken.withLock({ $0 }) < count { await Task.yield() }
    }

    override func sendRequest(
      toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
    ) {
      let response = RLMResponse()
      response.httpStatusCode = 200
      response.headers = ["content-type": "application/json"]
      if request.url.hasSuffix("/location") {
        response.body = #"{"hostname":"http://stub"}"#
      } else if request.url.hasSuffix("/auth/profile") {
        response.body = #"{"identities":[],"data":{}}"#
      } else {
        response.body = #"{"user_id":"1","access_token":"a","refresh_token":"r","device_id":"d"}"#
      }
      Task { completion(response) }
    }

    override func stream(
      _ request: RLMRequest, to take: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(RLMAppError) -> AppAnswer {
      for await piece in pieces {
        take(piece)
        taken.withLock { $0 += 1 }
      }
      if Task.isCancelled { wasEnded.withLock { $0 = true } }
      let response = RLMResponse()
      response.httpStatusCode = 200
      return AppAnswer(response)
    }
  }

  private let transport = StreamingTransport()

  private func collection() async throws -> MongoCollection {
    let configuration = AppConfiguration(baseURL: "http://stub", transport: transport)
    configuration.rootDirectory = FileManager.default.temporaryDirectory.appendingPathComponent(
      UUID().uuidString)
    let user = try await App(id: "shop-abcde", configuration: configuration).login(credentials: .anonymous)
    return user.mongoClient("mongodb-atlas").database(named: "d").collection(withName: "Node")
  }

  private func event(_ number: Int, size: Int = 0) -> String {
    #"data: {"n":\#(number),"text":"\#(String(repeating: "x", count: size))"}"# + "\n\n"
  }

  private func number(_ event: AnyBSON?) -> Int? { event?.documentValue?["n"]??.asInt() }

  /// Takes events until there are no more, or so many were taken.
  private func take(
    _ events: AsyncThrowingStream<AnyBSON, any Error>, most: Int = .max
  ) async -> (numbers: [Int], error: AppError?) {
    var numbers: [Int] = []
    do {
      for try await event in events {
        numbers.append(number(event) ?? -1)
        if numbers.count == most { break }
      }
      return (numbers, nil)
    } catch {
      return (numbers, error as? AppError)
    }
  }

  @Test func `events wait for who takes them, and one too many ends the stream behind them`() async throws {
    let events = try await collection().changeEvents()
    transport.send((1...1000).map { event($0) }.joined())
    await transport.waitUntilTaken(1)
    let first = await take(events, most: 1)
    #expect(first.numbers == [1])
    // There is room for one more, and for no other.
    transport.send(event(1001) + event(1002) + event(1003))
    await transport.waitUntilTaken(2)
    let rest = await take(events)
    #expect(rest.numbers == Array(2...1001) && rest.error?.code == .readSizeLimitExceeded)
    #expect(
      rest.error?.localizedDescription
        == "change stream ended: events come faster than they are taken, and too many of them wait")
    let end = await take(events)
    #expect(end.numbers.isEmpty && end.error == nil)
  }

  @Test func `events may wait up to a size`() async throws {
    let size = event(1, size: 1000).utf8.count - "data: \n\n".utf8.count
    let events = try await collection().events(.all, limits: StreamLimits(size: 3 * size), onOpen: nil)
    transport.send((1...8).map { event($0, size: 1000) }.joined())
    await transport.waitUntilTaken(1)
    let taken = await take(events)
    // Three that fill the size, and the one that came last.
    #expect(taken.numbers == [1, 2, 3, 4] && taken.error?.code == .readSizeLimitExceeded)
  }

  @Test func `events that are taken as they come are any number`() async throws {
    let events = try await collection().changeEvents()
    for turn in 0..<5 {
      transport.send((0..<1000).map { event(turn * 1000 + $0) }.joined())
      let taken = await take(events, most: 1000)
      #expect(taken.numbers == (0..<1000).map { turn * 1000 + $0 } && taken.error == nil)
    }
    transport.end()
    let end = await take(events)
    #expect(end.numbers.isEmpty && end.error == nil)
  }

  @Test func `a stream that nobody holds is given up`() async throws {
    let events = try await collection().changeEvents()
    let reader = Task { for try await _ in events {} }
    transport.send(event(1))
    await transport.waitUntilTaken(1)
    reader.cancel()
    _ = await reader.result
    // The stream ends where it is read, without being told to.
    while !transport.isCancelled { await Task.yield() }
  }

  @Test func `a delegate is told one event after the other`() async throws {
    final class Delegate: ChangeEventDelegate, Sendable {
      let lines = Lines()
      func changeStreamDidOpen(_ changeStream: ChangeStream) { lines.add("open") }
      func changeStreamDidClose(with error: (any Error)?) {
        lines.add("closed \((error as? AppError)?.code == .readSizeLimitExceeded)")
      }
      func changeStreamDidReceive(error: any Error) { lines.add("error") }
      func changeStreamDidReceive(changeEvent: AnyBSON?) {
        lines.add("\(changeEvent?.documentValue?["n"]??.asInt() ?? -1)")
      }
    }
    let delegate = Delegate()
    let queue = DispatchQueue(label: "delegate")
    let stream = try await collection().watch(delegate: delegate, queue: queue)
    transport.send(event(1) + event(2))
    #expect([delegate.lines.next(), delegate.lines.next(), delegate.lines.next()] == ["open", "1", "2"])
    // One that is held up has events wait, and in the end the stream closed.
    queue.suspend()
    transport.send((3..<1100).map { event($0) }.joined())
    await transport.waitUntilTaken(2)
    queue.resume()
    var lines: [String] = []
    while lines.last?.hasPrefix("closed") != true { lines.append(delegate.lines.next()) }
    #expect(lines.last == "closed true" && (1001...1003).contains(lines.count))
    stream.close()
  }
}
