import Foundation
import GatehouseTestSupport
import Synchronization
import Testing

@testable import RealmSwift

/// Collections of a data source, as Realm Swift's clients have them.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct MongoClientTests {
  private func collection(_ site: AppSite) async throws -> MongoCollection {
    try await site.user().mongoClient("mongodb-atlas").database(named: "d").collection(withName: "Node")
  }

  @Test func `documents are inserted, found, changed, counted and deleted`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let nodes = try await collection(site)
    #expect(nodes.name == "Node" && nodes.databaseName == "d")
    #expect(try await nodes.insertOne(["_id": 1, "label": "a"]).asInt() == 1)
    let ids = try await nodes.insertMany([["_id": 2, "label": "b"], ["_id": 3, "label": "c"]])
    #expect(ids.map { $0.asInt() } == [2, 3])
    #expect(try await nodes.count(filter: [:]) == 3)
    #expect(try await nodes.count(filter: [:], limit: 2) == 2)
    let found = try await nodes.find(
      filter: ["_id": ["$gt": 1]],
      options: FindOptions(limit: 5, projection: ["label": 1], sorting: [["_id": -1]]))
    #expect(found.map { $0["label"] } == [.string("c"), .string("b")] && found[0]["next"] == nil)
    let one = try await nodes.findOneDocument(filter: ["label": "a"])
    #expect(one?["_id"]??.asInt() == 1)
    #expect(try await nodes.findOneDocument(filter: ["label": "z"]) == nil)
    let update = try await nodes.updateOneDocument(filter: ["_id": 1], update: ["$set": ["label": "x"]])
    #expect(update.matchedCount == 1 && update.modifiedCount == 1 && update.documentId == nil)
    let made = try await nodes.updateOneDocument(
      filter: ["_id": 9], update: ["$set": ["label": "n"]], upsert: true)
    #expect(made.matchedCount == 0 && made.documentId?.asInt() == 9 && made.objectId == nil)
    #expect(
      try await nodes.updateManyDocuments(filter: [:], update: ["$set": ["label": "y"]]).matchedCount == 4)
    let old = try await nodes.findOneAndUpdate(filter: ["_id": 1], update: ["$set": ["label": "z"]])
    #expect(old?["label"] == .string("y"))
    let new = try await nodes.findOneAndUpdate(
      filter: ["_id": 1], update: ["$set": ["label": "w"]],
      options: FindOneAndModifyOptions(nil, nil, false, true))
    #expect(new?["label"] == .string("w"))
    let replaced = try await nodes.findOneAndReplace(filter: ["_id": 2], replacement: ["label": "r"])
    #expect(replaced?["label"] == .string("y"))
    let grouped = try await nodes.aggregate(pipeline: [["$match": ["label": "y"]], ["$count": "n"]])
    #expect(grouped.map { $0["n"]??.asInt() } == [2])
    #expect(try await nodes.findOneAndDelete(filter: ["_id": 9])?["_id"]??.asInt() == 9)
    #expect(try await nodes.findOneAndDelete(filter: ["_id": 9]) == nil)
    #expect(try await nodes.deleteOneDocument(filter: ["_id": 1]) == 1)
    #expect(try await nodes.deleteManyDocuments(filter: [:]) == 2)
    let count: Result<Int, any Error> = await withCheckedContinuation { continuation in
      nodes.count(filter: [:]) { continuation.resume(returning: $0) }
    }
    #expect(try count.get() == 0)
  }

  @Test func `errors of the data source have Realm's texts`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let nodes = try await collection(site)
    _ = try await nodes.insertOne(["_id": 1, "label": "a"])
    let twice = await appError { _ = try await nodes.insertOne(["_id": 1, "label": "a"]) }
    #expect(
      twice?.code == .mongoDBError && twice?.localizedDescription.contains("Duplicate key error") == true)
    let stage = await appError { _ = try await nodes.aggregate(pipeline: [["name": 1]]) }
    #expect(stage?.localizedDescription.contains("Unrecognized pipeline stage name: 'name'") == true)
    let none = await appError { _ = try await nodes.insertMany([]) }
    #expect(
      none?.code == .invalidParameter && none?.localizedDescription == "must provide at least one element")
    let user = try #require(site.app.currentUser)
    let other = user.mongoClient("other").database(named: "d").collection(withName: "Node")
    #expect(await appError { _ = try await other.count(filter: [:]) }?.code == .serviceNotFound)
  }

  @Test func `changes are told as they come, until the stream is closed`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let nodes = try await collection(site)
    let opened = AsyncStream<Void>.makeStream()
    let events = nodes.changeEvents(onOpen: { opened.continuation.yield() })
    var kinds: [String] = []
    let first = Task { () -> [AnyBSON] in
      var seen: [AnyBSON] = []
      for try await event in events {
        seen.append(event)
        if seen.count == 3 { break }
      }
      return seen
    }
    for await _ in opened.stream { break }
    _ = try await nodes.insertOne(["_id": 1, "label": "100%"])
    _ = try await nodes.updateOneDocument(filter: ["_id": 1], update: ["$set": ["label": "b"]])
    _ = try await nodes.deleteOneDocument(filter: ["_id": 1])
    for event in try await first.value {
      kinds.append(event.documentValue?["operationType"]??.stringValue ?? "")
    }
    #expect(kinds == ["insert", "update", "delete"])
    let inserted = try await first.value[0].documentValue?["fullDocument"]??.documentValue
    #expect(inserted?["label"] == .string("100%"))

    let delegate = Delegate()
    let stream = nodes.watch(
      matchFilter: ["operationType": "delete"], delegate: delegate, queue: DispatchQueue(label: "d"))
    #expect(await delegate.next() == "open")
    _ = try await nodes.insertOne(["_id": 2, "label": "b"])
    _ = try await nodes.deleteOneDocument(filter: ["_id": 2])
    #expect(await delegate.next() == "delete")
    stream.close()
    #expect(await delegate.next() == "closed")
  }

  @Test func `a stream that is refused ends with the error, after another token was tried`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let nodes = try await collection(site)
    nodes.user.change { $0.accessToken = "a.b.c" }
    let opened = AsyncStream<Void>.makeStream()
    let task = Task { for try await _ in nodes.changeEvents(onOpen: { opened.continuation.yield() }) {} }
    for await _ in opened.stream { break }
    task.cancel()
    _ = await task.result
    nodes.user.change { ($0.accessToken, $0.refreshToken) = ("a.b.c", "d.e.f") }
    let error = await appError { for try await _ in nodes.changeEvents() {} }
    #expect(error?.httpStatusCode == 401)
  }

  /// Hands on what a delegate is told.
  private final class Delegate: ChangeEventDelegate, Sendable {
    private let told = AsyncStream<String>.makeStream()

    func next() async -> String? {
      var iterator = told.stream.makeAsyncIterator()
      return await iterator.next()
    }

    func changeStreamDidOpen(_ changeStream: ChangeStream) { told.continuation.yield("open") }
    func changeStreamDidClose(with error: (any Error)?) {
      told.continuation.yield(error.map { "\($0)" } ?? "closed")
    }
    func changeStreamDidReceive(error: any Error) { told.continuation.yield("\(error)") }
    func changeStreamDidReceive(changeEvent: AnyBSON?) {
      told.continuation.yield(changeEvent?.documentValue?["operationType"]??.stringValue ?? "")
    }
  }
}

/// Events of streams, in pieces of any size.
@Suite struct EventParserTests {
  @Test(arguments: [1, 2, 3, 7, 1000])
  func `events are the same in whatever pieces they come`(size: Int) {
    let text =
      ": open\n\nevent: message\r\ndata: {\"a\":\r\ndata:  1}\r\n\r\nid: 7\nevent:error\ndata:a%0Ab%250A%0d\n\nevent: x\n\ndata\n\ndata: last"
    var parser = EventParser()
    var events: [EventParser.Event] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += parser.take(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    #expect(
      events == [
        .init(type: "message", data: "{\"a\":\n 1}"), .init(type: "error", data: "a\nb%0A%0d"),
        .init(type: "", data: ""),
      ])
  }
}
