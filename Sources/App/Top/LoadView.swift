import GatehouseBSON

/// Lines of text that show how busy a server is.
struct LoadView {
  private let change: MetricsChange
  private let address: String

  init(_ change: MetricsChange, of address: String) {
    self.change = change
    self.address = address
  }

  /// The lines, each of at most `width` characters, and at most `height` of them.
  func lines(now: Date, width: Int = .max, height: Int = .max) -> [String] {
    let rest = max(0, height - summary(now).count)
    let functions = Array(self.functions.prefix(max(0, rest / 3)))
    return (summary(now) + operations.prefix(rest - functions.count) + functions).map {
      String($0.prefix(width))
    }
  }

  private var metrics: MetricsText { change.now }

  private func summary(_ now: Date) -> [String] {
    let version = metrics["gatehouse_build_info"].first?.labels["version"] ?? "?"
    let started = metrics.sum("process_start_time_seconds")
    let up = LoadView.uptime(max(0, Int(now.seconds) - LoadView.integer(started)))
    let seconds = "gatehouse_request_duration_seconds"
    let commits = change.rate("gatehouse_commits_total")
    let writes = change.rate("gatehouse_commit_group_size_sum")
    return [
      "gatehouse \(version) at \(address), up \(up)",
      "",
      row(
        "requests", "\(rate(change.rate("gatehouse_requests_total")))/s",
        "failed \(rate(change.rate("gatehouse_requests_total", where: LoadView.isFailure)))/s",
        "median \(time(change.quantile(0.5, of: seconds)))",
        "99 % \(time(change.quantile(0.99, of: seconds)))",
        "connections \(count("gatehouse_connections"))",
        "in \(bytes(change.rate("gatehouse_received_bytes_total")))/s",
        "out \(bytes(change.rate("gatehouse_sent_bytes_total")))/s"),
      row(
        "writes", "\(rate(writes))/s", "commits \(rate(commits))/s",
        "99 % \(time(change.quantile(0.99, of: "gatehouse_commit_duration_seconds")))",
        "waiting \(count("gatehouse_write_queue_depth"))", "version \(count("gatehouse_version"))"),
      row(
        "streams", count("gatehouse_feed_subscribers"),
        "events \(rate(change.rate("gatehouse_feed_events_total")))/s",
        "dropped \(rate(change.rate("gatehouse_feed_dropped_total")))/s",
        "lag \(count("gatehouse_feed_lag_commits")) commits"),
      row(
        "slow queries", "\(rate(change.rate("gatehouse_slow_queries_total")))/s",
        "in all \(count("gatehouse_slow_queries_total"))", slowest),
      row(
        "process", "processor \(rate(change.rate("process_cpu_seconds_total") * 100)) %",
        "memory \(bytes(metrics.sum("process_resident_memory_bytes")))",
        "shared \(bytes(metrics.sum("gatehouse_shared_memory_bytes")))",
        "files \(bytes(metrics.sum("gatehouse_shared_temporary_file_bytes")))",
        "descriptors \(count("process_open_fds"))",
        "late by \(time(change.quantile(0.99, of: "gatehouse_loop_lag_seconds")))"),
    ]
  }

  /// The classes with the most slow queries.
  private var slowest: String {
    change.series("gatehouse_slow_queries_total") { $0["class"] ?? "" }.prefix(3)
      .map { "\($0.label) \(whole($0.total))" }.joined(separator: ", ")
  }

  /// A line for each method of each route, the busiest first.
  private var operations: [String] {
    let name = "gatehouse_requests_total"
    let key: ([String: String]) -> String = { "\($0["method"] ?? "") \($0["route"] ?? "")" }
    let rows = change.series(name, by: key).map { label, rate, total in
      let route = label.drop { $0 != " " }.dropFirst()
      let isOfRoute: ([String: String]) -> Bool = { $0["route"] == String(route) }
      let seconds = "gatehouse_request_duration_seconds"
      return table(
        self.rate(rate), self.rate(change.rate(name) { key($0) == label && LoadView.isFailure($0) }),
        time(change.quantile(0.5, of: seconds, where: isOfRoute)),
        time(change.quantile(0.99, of: seconds, where: isOfRoute)), whole(total),
        route.isEmpty ? "\(label)(no route)" : label)
    }
    return ["", table("per s", "failed", "median", "99 %", "in all", "request")] + rows
  }

  /// A line for each function, the busiest first; none where none was called.
  private var functions: [String] {
    let name = "gatehouse_function_calls_total"
    let rows = change.series(name) { $0["function"] ?? "" }.map { label, rate, total in
      let isOfFunction: ([String: String]) -> Bool = { $0["function"] == label }
      let seconds = "gatehouse_function_duration_seconds"
      return table(
        self.rate(rate), self.rate(change.rate(name) { isOfFunction($0) && $0["outcome"] != "ok" }),
        time(change.quantile(0.5, of: seconds, where: isOfFunction)),
        time(change.quantile(0.99, of: seconds, where: isOfFunction)), whole(total), label)
    }
    return rows.isEmpty ? [] : ["", table("per s", "failed", "median", "99 %", "in all", "function")] + rows
  }

  private static func uptime(_ seconds: Int) -> String {
    switch seconds {
    case 86_400...: "\(seconds / 86_400) d \(seconds % 86_400 / 3_600) h"
    case 3_600...: "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    default: Quantity.duration(.seconds(seconds))
    }
  }

  private static func isFailure(_ labels: [String: String]) -> Bool {
    labels["status"]?.hasPrefix("5") == true
  }
}

// How figures are written.
extension LoadView {
  private func row(_ title: String, _ figures: String...) -> String {
    padded(title, 14) + figures.map { padded($0, 16) }.joined(separator: " ").trimmed
  }

  /// Figures to the right, the last word as it is.
  private func table(_ words: String...) -> String {
    words.dropLast().map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }.joined(separator: " ")
      + "  " + (words.last ?? "")
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func count(_ name: String) -> String { whole(metrics.sum(name)) }

  private func whole(_ value: Double) -> String { Quantity.grouped(LoadView.integer(value)) }

  /// The number nearest to a figure, which is whatever a server says: 0 where it is none, and a thousand million million at most.
  private static func integer(_ value: Double) -> Int {
    value.isNaN ? 0 : Int(max(0, min(value.rounded(), 1e15)))
  }

  /// Three digits where there are fewer before the point.
  private func rate(_ value: Double) -> String {
    value >= 99.5 ? whole(value) : LoadView.decimal(value, digits: value >= 9.95 || value == 0 ? 1 : 2)
  }

  private func time(_ seconds: Double?) -> String {
    guard let seconds else { return "-" }
    return seconds >= 1 ? "\(rate(seconds)) s" : "\(rate(seconds * 1_000)) ms"
  }

  private func bytes(_ value: Double) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var (value, unit) = (value, 0)
    while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    return "\(unit == 0 ? whole(value) : rate(value)) \(units[unit])"
  }

  private static func decimal(_ value: Double, digits: Int) -> String {
    let scale = digits == 1 ? 10.0 : 100.0
    let scaled = integer(value * scale)
    let fraction = String(scaled % Int(scale))
    return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmed: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
