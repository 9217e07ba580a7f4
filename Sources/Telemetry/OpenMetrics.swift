/// The text format of OpenMetrics 1.0.
enum OpenMetrics {
  static func text(_ families: [Registry.Family]) -> [UInt8] {
    var text = ""
    for family in families { append(family, to: &text) }
    text += "# EOF\n"
    return Array(text.utf8)
  }

  private static func append(_ family: Registry.Family, to text: inout String) {
    text +=
      "# TYPE \(family.name) \(family.members.values.first?.type ?? "unknown")\n# HELP \(family.name) \(escaped(family.help))\n"
    let members = family.members.map { (labels: Self.text($0.key), instrument: $0.value) }
    for member in members.sorted(by: { $0.labels < $1.labels }) {
      append(member.instrument, name: family.name, labels: member.labels, to: &text)
    }
  }

  private static func append(
    _ instrument: Registry.Instrument, name: String, labels: String, to text: inout String
  ) {
    switch instrument {
    case .counter(let counter): text += sample("\(name)_total", labels: labels, value: "\(counter.value)")
    case .gauge(let gauge): text += sample(name, labels: labels, value: "\(gauge.value)")
    case .total(let read): text += sample("\(name)_total", labels: labels, value: "\(read())")
    case .reading(let read): text += sample(name, labels: labels, value: "\(read())")
    case .histogram(let histogram): append(histogram, name: name, labels: labels, to: &text)
    }
  }

  private static func append(
    _ histogram: Histogram, name: String, labels: String, to text: inout String
  ) {
    let counts = histogram.cumulative
    let bounds = histogram.bounds.map { "\(Double($0) / histogram.scale)" } + ["+Inf"]
    for (bound, count) in zip(bounds, counts) {
      let separator = labels.isEmpty ? "" : ","
      text += sample("\(name)_bucket", labels: "\(labels)\(separator)le=\"\(bound)\"", value: "\(count)")
    }
    text += sample("\(name)_count", labels: labels, value: "\(counts.last ?? 0)")
    text += sample("\(name)_sum", labels: labels, value: "\(histogram.sum)")
  }

  private static func sample(_ name: String, labels: String, value: String) -> String {
    labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }

  private static func text(_ labels: [Registry.Label]) -> String {
    labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
