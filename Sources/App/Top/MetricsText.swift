/// The samples of a text of OpenMetrics, such as `GET /metrics` answers.
struct MetricsText: Sendable {
  struct Sample: Hashable, Sendable {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  private let samples: [String: [Sample]]

  /// Leaves out lines that are no samples.
  init(_ text: String) {
    samples = Dictionary(
      grouping: text.split(separator: "\n").compactMap { MetricsText.sample(String($0)) }, by: \.name)
  }

  /// The samples of that name.
  subscript(name: String) -> [Sample] { samples[name] ?? [] }

  /// The sum of the samples of that name; 0 where there are none.
  func sum(_ name: String) -> Double { self[name].reduce(0) { $0 + $1.value } }

  private static func sample(_ line: String) -> Sample? {
    if line.hasPrefix("#") { return nil }
    var rest = line[...]
    let name = rest.prefix { $0 != "{" && $0 != " " }
    rest = rest.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest.removeFirst()
      while rest.first != "}" {
        guard let (label, value) = self.label(&rest) else { return nil }
        labels[label] = value
      }
      rest.removeFirst()
    }
    guard let value = rest.split(separator: " ").first.flatMap({ Double($0) }) else { return nil }
    return Sample(name: String(name), labels: labels, value: value)
  }

  /// Takes `name="value"` and a comma behind it; nil: there is something else.
  private static func label(_ rest: inout Substring) -> (String, String)? {
    let name = rest.prefix { $0 != "=" }
    rest = rest.dropFirst(name.count)
    guard rest.hasPrefix("=\"") else { return nil }
    rest = rest.dropFirst(2)
    var value = ""
    while let character = rest.popFirst(), character != "\"" {
      guard character == "\\", let escaped = rest.popFirst() else {
        value.append(character)
        continue
      }
      value.append(escaped == "n" ? "\n" : escaped)
    }
    if rest.first == "," { rest.removeFirst() }
    return rest.isEmpty ? nil : (String(name), value)
  }
}
