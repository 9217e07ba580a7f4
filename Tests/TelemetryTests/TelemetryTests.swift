import GatehouseTelemetry
import GatehouseTestSupport
import Glibc
import Testing

@Test func `a log line is one line of JSON`() {
  var clock = LogClock()
  var line = LogLine(
    .info, "request", at: CalendarTime(second: 951_782_399, nanoseconds: 7_000_000), clock: &clock)
  line.append("a", "\"\\\n\u{1}é")
  line.append("n", -5)
  #expect(
    String(decoding: line.line, as: UTF8.self) == """
      {"time":"2000-02-28T23:59:59.007Z","level":"info","message":"request","a":"\\"\\\\\\u000a\\u0001é","n":-5}

      """)
}

@Test func `a moment later may be in another second`() {
  let time = CalendarTime(second: 5, nanoseconds: 999_999_999)
  #expect(time + 0 == time)
  #expect(time + 1 == CalendarTime(second: 6, nanoseconds: 0))
  #expect(time + 3_000_000_000 == CalendarTime(second: 8, nanoseconds: 999_999_999))
}

@Test func `lines are put behind each other, with numbers in digits of either kind`() {
  var lines = LogLines()
  for number in [0, -1, 10, Int.min, Int.max] {
    lines.append(.info, "m", room: 100) { line in
      line.append(member: "n", number)
      line.append(member: "h", hexadecimal: UInt64(bitPattern: Int64(number)))
      line.append(member: "t", "a\"")
    }
  }
  var text = ""
  lines.take { text = String(decoding: $0, as: UTF8.self) }
  #expect(lines.isEmpty)
  let ends = text.split(separator: "\n").map { line in
    line.split(separator: #""m","#).last.map(String.init)
  }
  #expect(
    ends == [
      #""n":0,"h":"0000000000000000","t":"a\""}"#,
      #""n":-1,"h":"ffffffffffffffff","t":"a\""}"#,
      #""n":10,"h":"000000000000000a","t":"a\""}"#,
      #""n":-9223372036854775808,"h":"8000000000000000","t":"a\""}"#,
      #""n":9223372036854775807,"h":"7fffffffffffffff","t":"a\""}"#,
    ])
}

@Test func `a line fits in the room that it asks for, whatever it holds`() {
  let texts = ["", "x", String(repeating: "\u{1}", count: 128)]
  for text in texts {
    var lines = LogLines()
    lines.append(.warning, "m", room: 6 * text.utf8.count + 7 + 25) { line in
      line.append(member: "t", text)
      line.append(member: "n", Int.min)
    }
    lines.take { bytes in
      #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(#","n":-9223372036854775808}"# + "\n"))
    }
  }
}

@Test func `a clock that remembers a second tells the next one`() {
  var clock = LogClock()
  let times = [(0, 0), (0, 999_999_999), (1, 10_000_000), (951_782_400, 0)].map { second, nanoseconds in
    let line = LogLine(
      .error, "m", at: CalendarTime(second: second, nanoseconds: nanoseconds), clock: &clock)
    return String(decoding: line.line.dropFirst(9).prefix(24), as: UTF8.self)
  }
  #expect(
    times == [
      "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.999Z", "1970-01-01T00:00:01.010Z",
      "2000-02-29T00:00:00.000Z",
    ])
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
  registry.histogram("group", help: "Groups.", sizes: [1, 8]).record(3)
  for nanoseconds in [1_000_000, 1_000_001, 2_000_000_000] { histogram.record(nanoseconds: nanoseconds) }
  return registry
}

private let text = """
  # TYPE depth gauge
  # HELP depth Depth.
  depth 1.5
  # TYPE group histogram
  # HELP group Groups.
  group_bucket{le="1.0"} 0
  group_bucket{le="8.0"} 1
  group_bucket{le="+Inf"} 1
  group_count 1
  group_sum 3.0
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

private let parser =
  "from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse"
private let hasParser = Machine.run("python3 -c '\(parser); print(1)' 2>/dev/null").output == "1\n"

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
    Machine.run("python3 -c '\(script)'").output == """
      depth gauge ('depth', [], 1.5)
      group histogram ('group_sum', [], 3.0)
      open gauge ('open', [], 3.0)
      requests counter ('requests_total', [('route', '/a"\\\\\\n'), ('status', '404')], 1.0)
      wait_seconds histogram ('wait_seconds_sum', [], 2.002000001)

      """)
}

@Test func `what several threads add is all there, whichever shard they add to`() async {
  let registry = Registry(shardCount: 3)
  let counter = registry.counter("adds", help: "Adds.")
  let histogram = registry.histogram("sizes", help: "Sizes.", sizes: [1, 2])
  await withTaskGroup(of: Void.self) { group in
    for task in 0..<6 {
      group.addTask {
        for number in 0..<10_000 {
          counter.add(2, shard: task % 3)
          histogram.record(number % 4, shard: task % 3)
        }
      }
    }
  }
  #expect(counter.value == 120_000)
  let lines = String(decoding: registry.render(), as: UTF8.self).split(separator: "\n").map(String.init)
  for line in [
    #"sizes_bucket{le="1.0"} 30000"#, #"sizes_bucket{le="2.0"} 45000"#, #"sizes_bucket{le="+Inf"} 60000"#,
    "sizes_sum 90000.0",
  ] { #expect(lines.contains(line)) }
}
