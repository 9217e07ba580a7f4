import GatehouseBSON
import GatehouseHTTP
import GatehouseTelemetry
import Synchronization
import Testing

@testable import GatehouseAPI

@Suite struct SlowQueryTests {
  private static let schema = """
    [{"name":"City","primaryKey":"_id","properties":{"_id":"int","name":"string",
      "population":{"type":"int","indexed":true}}}]
    """

  /// Answers a request by a gateway to which each query, or none, is a slow one; returns the lines that it wrote.
  private func lines(_ target: String, beyond milliseconds: Int) async throws -> [Value] {
    let lines = Mutex<[[UInt8]]>([])
    let metrics = Registry()
    let fixture = try await Fixture(
      Self.schema,
      slowQueries: SlowQueryLog(beyond: milliseconds, metrics: metrics) { line in
        lines.withLock { $0.append(line) }
      })
    _ = try await fixture.send(
      .post, "/v1/collections/City", json: #"{"_id":1,"name":"SECRET","population":5}"#)
    let answer = try await fixture.send(.get, target)
    #expect(answer.status == 200, "\(answer.text)")
    await fixture.remove()
    let isCounted = String(decoding: metrics.render(), as: UTF8.self)
      .contains("gatehouse_slow_queries_total{class=\"City\"} 1\n")
    #expect(isCounted == (milliseconds == 0))
    return try lines.withLock(\.self).map { try Value(json: $0) }
  }

  @Test(arguments: ["filter=population>4 AND name=='SECRET'", "filter=name=='SECRET'", "sectionBy=name"])
  func `a slow query is told with its statement and how it was run, and without its values`(
    parameters: String
  ) async throws {
    let lines = try await lines(
      "/v1/collections/City?\(parameters.replacing(" ", with: "%20").replacing(">", with: "%3E"))", beyond: 0)
    let line = try #require(lines.first)
    #expect(
      lines.count == 1 && line["message"] == .string("slow query") && line["level"] == .string("warning"))
    #expect(line["class"] == .string("City"))
    guard case .string(let steps)? = line["steps"], case .string(let statement)? = line["statement"] else {
      Issue.record("\(line)")
      return
    }
    #expect(steps.contains("SCAN") || steps.contains("SEARCH"), "\(steps)")
    #expect(statement.hasPrefix("SELECT") && !statement.contains("SECRET"), "\(statement)")
  }

  @Test func `a query that is not slow is not told`() async throws {
    #expect(try await lines("/v1/collections/City?filter=population%3E4", beyond: 3_600_000).isEmpty)
  }
}
