import GatehouseTestSupport
import Glibc
import Testing

private let hasPython = Machine.program("python3") != nil

/// A collector of traces, which checks what it is sent.
private final class Collector {
  private let process: ChildProcess
  private let output: Pipe
  private let port: String
  private var text = ""

  init(_ folder: Folder, refusals: Int = 0) throws {
    output = try Pipe()
    process = try ChildProcess(
      try #require(Machine.program("python3")),
      ["\(Machine.root)/Tests/EndToEndTests/collector.py", String(refusals)],
      environment: [Machine.path], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .descriptor(output.writing), .write(folder.file("collector.log"))])
    port = output.read { $0.hasSuffix("\n") }.split(separator: "\n").joined()
  }

  var environment: [String] {
    ["GATEHOUSE_TRACES_ENDPOINT=http://127.0.0.1:\(port)/", "GATEHOUSE_TRACES_HEADERS=x-key=a=b"]
  }

  /// Waits for so many spans, and returns all that came.
  func spans(_ count: Int) throws -> [JSON] {
    let isEnough = { (text: String) in text.count { $0 == "\n" } >= count && text.hasSuffix("\n") }
    if !isEnough(text) {
      let before = text
      text += output.read { isEnough(before + $0) }
    }
    return try text.split(separator: "\n").map { try JSON(String($0)) }
  }
}

@Suite(.enabled(if: hasPython, "needs python3"))
struct TraceTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "b7ad6b7169203331"

  private func text(_ json: JSON?, _ name: String) -> String? {
    if case .string(let text)? = json?[name] { text } else { nil }
  }

  private func number(_ json: JSON?, _ name: String) -> Int64? {
    if case .int(let number)? = json?[name] { number } else { nil }
  }

  @Test func `a request is a span of its client's trace`() throws {
    let folder = try Sample.nodeStore()
    let collector = try Collector(folder)
    let server = try RunningServer(folder, environment: collector.environment)
    let created = try server.send(
      "POST", "/v1/collections/Node",
      fields: ["traceparent": "00-\(Self.trace)-\(Self.parent)-01", "X-Request-ID": "mine"],
      body: #"{"_id":1,"label":"SECRET"}"#)
    #expect(created.status == "201 Created")
    let span = try #require(try collector.spans(1).first)
    #expect(text(span, "error") == nil, "\(span)")
    #expect(text(span, "name") == "POST /v1/collections/{class}")
    #expect(text(span, "trace") == Self.trace && text(span, "parent") == Self.parent)
    #expect(number(span, "kind") == 2 && number(span, "code") == 0)
    let attributes = span["attributes"]
    #expect(text(attributes, "http.request.method") == "POST")
    #expect(text(attributes, "http.route") == "/v1/collections/{class}")
    #expect(number(attributes, "http.response.status_code") == 201)
    #expect(number(attributes, "http.request.body.size") == 26)
    #expect(text(attributes, "url.scheme") == "http")
    #expect(text(attributes, "gatehouse.request.id") == "mine")
    // The line of the log names the same.
    #expect(server.stop() == 0)
    let line = try #require(
      try folder.contents(folder.file("serve.log")).split(separator: "\n").first { $0.contains("\"mine\"") })
    let logged = try JSON(String(line))
    #expect(text(logged, "trace") == Self.trace && text(logged, "parent") == Self.parent)
    #expect(text(logged, "span") == text(span, "span"))
  }

  @Test func `the client decides where it says so, and otherwise the setting`() throws {
    let folder = try Sample.nodeStore()
    let collector = try Collector(folder)
    let server = try RunningServer(folder, environment: collector.environment)
    let unsampled = ["traceparent": "00-\(Self.trace)-\(Self.parent)-00"]
    _ = try server.send("GET", "/v1/collections/Node", fields: unsampled)
    _ = try server.send("GET", "/v1/nothing")
    // The other would have come before it.
    let spans = try collector.spans(1)
    #expect(spans.count == 1)
    #expect(text(spans[0], "name") == "GET" && text(spans[0], "parent") == "")
    #expect(text(spans[0], "trace") != Self.trace)
    #expect(number(spans[0]["attributes"], "http.response.status_code") == 404)
    #expect(server.stop() == 0)
    let silent = try RunningServer(
      folder, environment: collector.environment + ["GATEHOUSE_TRACES_PERCENT=0"])
    _ = try silent.send("GET", "/livez")
    _ = try silent.send("GET", "/readyz", fields: ["traceparent": "00-\(Self.trace)-\(Self.parent)-01"])
    // A server that stops sends what it has.
    #expect(silent.stop() == 0)
    #expect(try collector.spans(2).map { text($0, "trace") }.last == Self.trace)
    // Spans whose collector is late are sent again.
    #expect(Set(try collector.spans(2).map { text($0, "span") }).count == 2)
  }

  @Test func `a slow query is a part of its request, without values`() throws {
    let folder = try Sample.nodeStore()
    let nodes = try folder.write(Sample.nodes(0..<20_000), to: "nodes.ndjson")
    #expect(try Gatehouse.run(["import", "Node", nodes, "--data", folder.data], in: folder).status == 0)
    let collector = try Collector(folder)
    let server = try RunningServer(
      folder, environment: collector.environment + ["GATEHOUSE_SLOW_QUERY_MILLISECONDS=1"])
    let answer = try server.send("GET", "/v1/collections/Node?filter=label%20ENDSWITH%5Bc%5D%20%27SECRET%27")
    #expect(answer.status == "200 OK", "\(answer.body)")
    // A query may be tried again elsewhere, and is slow each time.
    var spans = try collector.spans(2)
    while !spans.contains(where: { number($0, "kind") == 2 }) { spans = try collector.spans(spans.count + 1) }
    let query = try #require(spans.first { text($0, "name") == "slow query" }, "\(spans)")
    let request = try #require(spans.first { number($0, "kind") == 2 })
    #expect(text(query, "parent") == text(request, "span") && text(query, "trace") == text(request, "trace"))
    #expect(text(query["attributes"], "db.collection.name") == "Node")
    let statement = try #require(text(query["attributes"], "db.query.text"))
    #expect(statement.hasPrefix("SELECT") && !statement.contains("SECRET"))
    #expect(server.stop() == 0)
  }

  @Test(.enabled(if: hasNode, "needs Node")) func `a function's call is a part of its request`() throws {
    let folder = try Sample.nodeStore()
    _ = try folder.shell(
      "mkdir -p data/functions && echo 'exports = () => context.services ? 1 : 2' > data/functions/one.js"
        + " && echo 'exports = () => { throw new Error(\"no\") }' > data/functions/two.js")
    let collector = try Collector(folder)
    let server = try RunningServer(folder, environment: collector.environment + [Machine.path])
    for name in ["one", "two", "three"] { _ = try server.send("POST", "/v1/functions/\(name)", body: "[]") }
    let spans = try collector.spans(5)
    #expect(spans.count == 5)
    let calls = spans.filter { number($0, "kind") == 1 }
    #expect(calls.map { text($0, "name") } == ["function one", "function two"], "\(spans)")
    #expect(calls.map { number($0, "code") } == [0, 2])
    let requests = spans.filter { number($0, "kind") == 2 }.map { text($0, "span") }
    #expect(calls.map { text($0, "parent") } == Array(requests.prefix(2)))
    #expect(server.stop() == 0)
  }

  @Test func `a collector that refuses for a while gets everything`() throws {
    let folder = try Sample.nodeStore()
    let collector = try Collector(folder, refusals: 2)
    let server = try RunningServer(folder, environment: collector.environment)
    for _ in 0..<3 { _ = try server.send("GET", "/livez") }
    #expect(try collector.spans(3).allSatisfy { text($0, "name") == "GET /livez" })
    #expect(server.stop() == 0)
  }

  @Test func `without a collector requests are answered, and spans counted`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder, environment: ["GATEHOUSE_TRACES_ENDPOINT=http://127.0.0.1:1"])
    for _ in 0..<20 { #expect(try server.send("GET", "/livez").status == "200 OK") }
    let metrics = try server.send("GET", "/metrics").body
    #expect(metrics.contains(#"gatehouse_trace_spans_total{outcome="sent"} 0"#), "\(metrics)")
    #expect(server.stop() == 0)
    let wrong = try Gatehouse.run(
      ["serve", "--data", folder.data, "--traces-endpoint", "127.0.0.1:4318"], in: folder)
    let sentence = "traces.endpoint must be the URL of a collector, such as http://127.0.0.1:4318"
    #expect((wrong.status, wrong.error) == (2, "gatehouse: \(sentence), not '127.0.0.1:4318'\n"))
  }
}
