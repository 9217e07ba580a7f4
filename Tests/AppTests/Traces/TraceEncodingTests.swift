import GatehouseOutbound
import GatehouseTelemetry
import Testing

@testable import GatehouseApp

struct TraceEncodingTests {
  private static func span(_ name: String, parent: UInt64? = nil) -> Span {
    Span(
      name, .server, at: Span.Place(traceHigh: 1, traceLow: 0xFF, id: 0xAB, parent: parent),
      end: CalendarTime(second: 1_700_000_000, nanoseconds: 5), nanoseconds: 1_000)
  }

  @Test func `spans are written as OTLP has them in JSON`() {
    var span = Self.span("GET /a", parent: 2)
    span.attributes = [("a", .text("ü\"")), ("b", .number(-1))]
    span.isError = true
    let text = String(decoding: TraceEncoding(version: "1").bytes(of: [span, Self.span("b")]), as: UTF8.self)
    let resource =
      #"{"attributes":[{"key":"service.name","value":{"stringValue":"gatehouse"}},{"key":"service.version","value":{"stringValue":"1"}}]}"#
    let first =
      #"{"traceId":"000000000000000100000000000000ff","spanId":"00000000000000ab","parentSpanId":"0000000000000002","name":"GET /a","kind":2,"startTimeUnixNano":"1699999999999999005","endTimeUnixNano":"1700000000000000005","attributes":[{"key":"a","value":{"stringValue":"ü\""}},{"key":"b","value":{"intValue":"-1"}}],"status":{"code":2}}"#
    let second =
      #"{"traceId":"000000000000000100000000000000ff","spanId":"00000000000000ab","name":"b","kind":2,"startTimeUnixNano":"1699999999999999005","endTimeUnixNano":"1700000000000000005","attributes":[],"status":{}}"#
    let scope = #"{"name":"gatehouse","version":"1"}"#
    #expect(
      text
        == #"{"resourceSpans":[{"resource":\#(resource),"scopeSpans":[{"scope":\#(scope),"spans":[\#(first),\#(second)]}]}]}"#
    )
  }

  @Test(arguments: [(-5, "5"), (1, "1000000005")])
  func `a span that ends when a clock says 1970, or earlier, begins no earlier`(second: Int, end: String) {
    let span = Span(
      "a", .server, at: Span.Place(traceHigh: 1, traceLow: 2, id: 3, parent: nil),
      end: CalendarTime(second: second, nanoseconds: 5), nanoseconds: 10_000_000_000)
    let text = String(decoding: TraceEncoding(version: "1").bytes(of: [span]), as: UTF8.self)
    #expect(text.contains(#""startTimeUnixNano":"0","endTimeUnixNano":"\#(end)""#), "\(text)")
  }

  @Test func `a span for which there is no room is dropped and counted, and nobody waits`() {
    let metrics = Registry()
    let queue = SpanQueue(capacity: 2, metrics: metrics)
    for name in ["a", "b", "c"] { queue.add(Self.span(name)) }
    #expect(queue.take(1).map(\.name) == ["a"])
    queue.add(Self.span("d"))
    #expect(queue.take(9).map(\.name) == ["b", "d"])
    queue.count(sent: 2, failed: 1)
    let text = String(decoding: metrics.render(), as: UTF8.self)
    for (outcome, count) in [("dropped", 1), ("failed", 1), ("sent", 2)] {
      #expect(text.contains("gatehouse_trace_spans_total{outcome=\"\(outcome)\"} \(count)\n"), "\(text)")
    }
    #expect(SpanQueue(percent: 100, metrics: metrics).samples())
    #expect(!SpanQueue(percent: 0, metrics: metrics).samples())
  }

  @Test func `spans that are put back have no more room than others, and the oldest are dropped`() {
    let metrics = Registry()
    let queue = SpanQueue(capacity: 3, metrics: metrics)
    for name in ["a", "b"] { queue.add(Self.span(name)) }
    let taken = queue.take(2)
    for name in ["c", "d"] { queue.add(Self.span(name)) }
    queue.putBack(taken)
    #expect(queue.take(9).map(\.name) == ["b", "c", "d"])
    #expect(
      String(decoding: metrics.render(), as: UTF8.self).contains(
        "gatehouse_trace_spans_total{outcome=\"dropped\"} 1\n"))
  }

  @Test(arguments: [
    ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
    ("https://c.example.org/otlp/", "https://c.example.org/otlp/v1/traces"),
    ("https://c.example.org/v1/traces", "https://c.example.org/v1/traces"),
  ])
  func `a collector has OTLP's path`(url: String, expected: String) throws {
    let endpoint = try TraceEndpoint(url, headers: "a=b=c,d=")
    #expect(endpoint.url == expected)
    let fields = [("content-type", "application/json"), ("a", "b=c"), ("d", "")]
    #expect(endpoint.fields == fields.map { HeaderField($0.0, $0.1) })
  }

  @Test(arguments: [
    ("c:4318", ""), ("http://", ""), ("http:///x", ""), ("http://c?x", ""), ("http://c", "a"),
  ])
  func `anything else is none`(url: String, headers: String) {
    #expect(throws: CommandError.self) { try TraceEndpoint(url, headers: headers) }
  }
}
