import GatehouseBSON
import GatehouseHTTP
import Synchronization
import Testing

@testable import GatehouseAPI

/// Updates by several clients at once: none is lost.
@Suite struct ConcurrentUpdateTests {
  @Test func `increments by many clients add up`() async throws {
    // A failure of the store is told here alone.
    let failures = Mutex<[String]>([])
    let report: @Sendable ([UInt8]) -> Void = { line in
      failures.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
    try await Fixture.with(report: report) { fixture in
      try await fixture.populate()
      let update = DataAPITests.content("City", #""filter":{"_id":1},"update":{"$inc":{"population":1}}"#)
      try await withThrowingTaskGroup { group in
        for _ in 0..<32 {
          group.addTask {
            for _ in 0..<10 {
              let sent = try await fixture.send(.post, DataAPITests.target("updateOne"), json: update)
              #expect(sent.text == #"{"matchedCount":1,"modifiedCount":1}"#)
            }
          }
        }
        try await group.waitForAll()
      }
      let city = try await fixture.send(.get, "/v1/collections/City/1?fields=population")
      #expect(city.text == #"{"population":8336919}"#)
    }
    #expect(failures.withLock { $0 } == [])
  }

  @Test func `each document is taken once by clients that delete one`() async throws {
    try await Fixture.with { fixture in
      let notes = (0..<40).map { #"{"text":"\#($0)"}"# }.joined(separator: ",")
      _ = try await fixture.send(.post, "/v1/collections/Note", json: "[\(notes)]")
      let take =
        #"{"name":"findOneAndDelete","service":"mongodb-atlas","arguments":[{"database":"d","collection":"Note","filter":{"text":{"$regex":"."}}}]}"#
      let taken = try await withThrowingTaskGroup { group in
        for _ in 0..<40 {
          group.addTask {
            try await fixture.send(.post, "/api/client/v2.0/app/a/functions/call", json: take).text
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(taken.count == 40)
      #expect(try await fixture.send(.get, "/v1/collections/Note").text == "[]")
    }
  }

  @Test func `one of many upserts of an identifier inserts`() async throws {
    try await Fixture.with { fixture in
      let update = DataAPITests.content(
        "City", #""filter":{"_id":1},"update":{"$inc":{"population":1},"$set":{"name":"x"}},"upsert":true"#)
      let statuses = try await withThrowingTaskGroup { group in
        for _ in 0..<16 {
          group.addTask {
            try await fixture.send(.post, DataAPITests.target("updateOne"), json: update).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.filter { $0 == 201 }.count == 1 && statuses.filter { $0 == 200 }.count == 15)
      let city = try await fixture.send(.get, "/v1/collections/City/1?fields=population")
      #expect(city.text == #"{"population":16}"#)
    }
  }
}
