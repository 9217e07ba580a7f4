import GatehouseBSON
import Testing

@testable import GatehouseApp

struct LoadViewTests {
  private static func text(_ requests: Int, _ failed: Int, _ fast: Int, _ slow: Int) -> MetricsText {
    MetricsText(
      """
      # TYPE gatehouse_requests counter
      gatehouse_requests_total{route="/a/{b}",method="GET",status="200"} \(requests)
      gatehouse_requests_total{route="/a/{b}",method="GET",status="503"} \(failed)
      gatehouse_requests_total{route="",method="PUT",status="404"} 7
      gatehouse_request_duration_seconds_bucket{route="/a/{b}",le="0.001"} \(fast)
      gatehouse_request_duration_seconds_bucket{route="/a/{b}",le="0.01"} \(fast + slow)
      gatehouse_request_duration_seconds_bucket{route="/a/{b}",le="+Inf"} \(fast + slow)
      gatehouse_function_calls_total{function="f",outcome="ok"} \(requests)
      gatehouse_function_calls_total{function="f",outcome="error"} 0
      gatehouse_slow_queries_total{class="City"} 2
      gatehouse_slow_queries_total{class="Country"} 1000
      gatehouse_connections 12
      gatehouse_sent_bytes_total \(requests * 4096)
      gatehouse_build_info{version="1.2.3"} 1.0
      process_start_time_seconds 1000.0
      process_resident_memory_bytes 104857600
      # EOF
      """)
  }

  @Test func `figures are those of the time between two readings`() {
    let change = MetricsChange(before: Self.text(100, 1, 90, 10), now: Self.text(300, 3, 90, 110), seconds: 2)
    let lines = LoadView(change, of: "http://x").lines(now: Date(seconds: 1_060))
    #expect(lines[0] == "gatehouse 1.2.3 at http://x, up 60 s")
    #expect(
      lines[2].hasPrefix("requests      101/s            failed 1.00/s    median 5.50 ms"), "\(lines[2])")
    #expect(lines[2].contains("connections 12") && lines[2].hasSuffix("out 400 KiB/s"), "\(lines[2])")
    #expect(
      lines[5] == "slow queries  0.0/s            in all 1,002     Country 1,000, City 2", "\(lines[5])")
    #expect(lines.contains { $0.hasPrefix("process ") && $0.contains("memory 100 MiB") })
    #expect(lines[8] == "    per s    failed    median      99 %    in all  request")
    #expect(lines[9] == "      101      1.00   5.50 ms   9.91 ms       303  GET /a/{b}")
    #expect(lines[10] == "      0.0       0.0         -         -         7  PUT (no route)")
    #expect(lines[12] == "    per s    failed    median      99 %    in all  function")
    #expect(lines[13] == "      100       0.0         -         -       300  f")
    #expect(lines.count == 14)
  }

  @Test func `whatever a server says can be shown`() {
    for figure in ["NaN", "+Inf", "-Inf", "1e300", "-1e300", "-12.34"] {
      let text = MetricsText(
        """
        gatehouse_requests_total{route="/a",method="GET",status="200"} \(figure)
        gatehouse_request_duration_seconds_bucket{route="/a",le="\(figure)"} \(figure)
        gatehouse_request_duration_seconds_bucket{route="/a",le="+Inf"} 5
        gatehouse_connections \(figure)
        gatehouse_sent_bytes_total \(figure)
        process_start_time_seconds \(figure)
        """)
      let change = MetricsChange(before: MetricsText(""), now: text, seconds: 1)
      let lines = LoadView(change, of: "http://x").lines(now: Date(seconds: 1_060))
      let isShown = lines[2].contains(
        figure.hasPrefix("-") || figure == "NaN" ? "connections 0" : "connections 1,000,000,")
      #expect(isShown, "\(lines)")
    }
  }

  @Test func `lines fit into the terminal`() {
    let change = MetricsChange(before: Self.text(0, 0, 0, 0), now: Self.text(1, 1, 1, 1), seconds: 1)
    for height in [0, 3, 8, 10, 12] {
      let lines = LoadView(change, of: "http://x").lines(now: .now, width: 20, height: height)
      #expect(lines.count <= max(height, 7) && lines.allSatisfy { $0.count <= 20 })
    }
  }

  @Test func `a server that was started anew counts from 0`() {
    let change = MetricsChange(before: Self.text(500, 0, 0, 0), now: Self.text(50, 0, 0, 0), seconds: 1)
    #expect(change.rate("gatehouse_sent_bytes_total") == 50 * 4096)
  }

  @Test func `labels are read with what is escaped in them`() {
    let text = MetricsText(
      #"a{b="x\"y\\z\n,}",c=""} 1.5 1700000000"# + "\nbroken{a=} 1\nd 2\ne NaN\nf{g=\"h\n")
    #expect(text["a"] == [MetricsText.Sample(name: "a", labels: ["b": "x\"y\\z\n,}", "c": ""], value: 1.5)])
    #expect(text.sum("d") == 2 && text["broken"].isEmpty && text["f"].isEmpty)
  }

  @Test func `a share of nothing is none, and beyond the last bound nothing is known`() {
    let empty = MetricsChange(before: Self.text(0, 0, 1, 1), now: Self.text(0, 0, 1, 1), seconds: 1)
    #expect(empty.quantile(0.5, of: "gatehouse_request_duration_seconds") == nil)
    let text = MetricsText("h_bucket{le=\"1\"} 0\nh_bucket{le=\"+Inf\"} 4\n")
    #expect(MetricsChange(before: MetricsText(""), now: text, seconds: 1).quantile(0.5, of: "h") == 1)
  }
}
