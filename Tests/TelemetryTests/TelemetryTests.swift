import Glibc
import Telemetry
import Testing

@Test func `a log line is one line of JSON`() {
  var line = LogLine(.info, "request", secondsSince1970: 951_782_399, nanoseconds: 7_000_000)
  line.append("a\"b\\", "\n\u{1}é")
  line.append("n", -5)
  #expect(
    String(decoding: line.line, as: UTF8.self) == """
      {"time":"2000-02-28T23:59:59.007Z","level":"info","message":"request","a\\"b\\\\":"\\u000a\\u0001é","n":-5}

      """)
}

private func sample() -> Registry {
  let registry = Registry(shardCount: 2)
  let requests = { (status: String) in
    registry.counter(
      "requests", help: "Requests.", labels: [.init("route", "/a\"\\\n"), .init("status", status)])
  }
  requests("200").add(shard: 0)
  requests("200").add(2, shard: 1)
  requests("404").add()
  registry.gauge("open", help: "Open.").add(5, shard: 1)
  registry.gauge("open", help: "Open.").add(-2, shard: 0)
  registry.read("depth", help: "Depth.") { 1.5 }
  let histogram = registry.histogram("wait_seconds", help: "Waits.", bounds: [1_000_000, 10_000_000])
  for nanoseconds in [1_000_000, 1_000_001, 2_000_000_000] { histogram.record(nanoseconds: nanoseconds) }
  return registry
}

private let text = """
  # TYPE depth gauge
  # HELP depth Depth.
  depth 1.5
  # TYPE open gauge
  # HELP open Open.
  open 3
  # TYPE requests counter
  # HELP requests Requests.
  requests_total{route="/a\\"\\\\\\n",status="200"} 3
  requests_total{route="/a\\"\\\\\\n",status="404"} 1
  # TYPE wait_seconds histogram
  # HELP wait_seconds Waits.
  wait_seconds_bucket{le="0.001"} 1
  wait_seconds_bucket{le="0.01"} 2
  wait_seconds_bucket{le="+Inf"} 3
  wait_seconds_count 3
  wait_seconds_sum 2.002000001
  # EOF

  """

@Test func `metrics are rendered as OpenMetrics`() {
  #expect(String(decoding: sample().render(), as: UTF8.self) == text)
}

private func output(of command: String) -> String {
  guard let pipe = popen(command, "r") else { return "" }
  defer { pclose(pipe) }
  var buffer = [UInt8](repeating: 0, count: 65_536)
  let count = fread(&buffer, 1, buffer.count, pipe)
  return String(decoding: buffer[..<count], as: UTF8.self)
}

private let parser =
  "from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse"
private let hasParser = output(of: "python3 -c '\(parser); print(1)' 2>/dev/null") == "1\n"

@Test(.enabled(if: hasParser, "PyPI's prometheus-client is not there"))
func `prometheus-client reads what is rendered`() throws {
  let path = "/tmp/gatehouse-metrics-\(getpid())"
  defer { unlink(path) }
  let file = try #require(fopen(path, "w"))
  let bytes = sample().render()
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
  let script = """
    \(parser)
    for family in parse(open("\(path)").read()):
      print(family.name, family.type, [(s.name, sorted(s.labels.items()), float(s.value)) for s in family.samples][-1])
    """
  #expect(
    output(of: "python3 -c '\(script)'") == """
      depth gauge ('depth', [], 1.5)
      open gauge ('open', [], 3.0)
      requests counter ('requests_total', [('route', '/a"\\\\\\n'), ('status', '404')], 1.0)
      wait_seconds histogram ('wait_seconds_sum', [], 2.002000001)

      """)
}
