/// The display of a long command while it works: a bar on a terminal, a line now and then elsewhere.
///
/// A value that is told the time, so that it can be tested without waiting.
struct Progress: Sendable {
  /// How it is shown.
  enum Style: Sendable {
    case bar
    case lines
  }

  private let title: String
  /// The plural noun of the counted things.
  private let unit: String
  private let style: Style
  private let start: ContinuousClock.Instant
  private var lastShown: ContinuousClock.Instant

  init(title: String, unit: String = "objects", style: Style, now: ContinuousClock.Instant) {
    self.title = title
    self.unit = unit
    self.style = style
    start = now
    lastShown = now
  }

  /// Returns the text to show; nil if it is too soon for more. `fraction` is the part that is done, from 0 to 1; nil
  /// if nobody knows.
  mutating func update(objects: Int, fraction: Double?, now: ContinuousClock.Instant) -> String? {
    guard lastShown.duration(to: now) >= interval else { return nil }
    lastShown = now
    switch style {
    case .bar: return "\r" + bar(objects: objects, fraction: fraction, now: now) + Progress.clearToEndOfLine
    case .lines: return line(objects: objects, fraction: fraction, now: now) + "\n"
    }
  }

  /// Returns the last text. `verb` says what became of the objects, such as `imported`.
  func finish(objects: Int, verb: String, now: ContinuousClock.Instant) -> String {
    let text =
      "\(title): \(Quantity.grouped(objects)) \(unit) \(verb) in \(Quantity.duration(elapsed(now))) "
      + "(\(rate(objects, now)))\n"
    return abandon() + text
  }

  /// Returns the text that clears a bar that will not be finished.
  func abandon() -> String {
    switch style {
    case .bar: "\r" + Progress.clearToEndOfLine
    case .lines: ""
    }
  }

  /// ECMA-48 §8.3.41, "erase in line".
  private static let clearToEndOfLine = "\u{1B}[K"
  private static let width = 24

  private var interval: Duration {
    switch style {
    case .bar: .milliseconds(100)
    case .lines: .seconds(2)
    }
  }

  private func bar(objects: Int, fraction: Double?, now: ContinuousClock.Instant) -> String {
    guard let fraction else { return line(objects: objects, fraction: nil, now: now) }
    let filled = Int(Double(Progress.width) * min(max(fraction, 0), 1))
    let cells = String(repeating: "#", count: filled) + String(repeating: "-", count: Progress.width - filled)
    return "\(title) [\(cells)] " + figures(objects: objects, fraction: fraction, now: now)
  }

  private func line(objects: Int, fraction: Double?, now: ContinuousClock.Instant) -> String {
    "\(title): " + figures(objects: objects, fraction: fraction, now: now)
  }

  private func figures(objects: Int, fraction: Double?, now: ContinuousClock.Instant) -> String {
    var parts = ["\(Quantity.grouped(objects)) \(unit)", rate(objects, now)]
    if let fraction {
      parts.insert("\(Int(min(max(fraction, 0), 1) * 100))%", at: 0)
      if fraction > 0.01 {
        parts.append("\(Quantity.duration(elapsed(now) * ((1 - fraction) / fraction))) left")
      }
    }
    return parts.joined(separator: ", ")
  }

  private func rate(_ objects: Int, _ now: ContinuousClock.Instant) -> String {
    let seconds = max(elapsed(now) / .seconds(1), 0.001)
    return "\(Quantity.grouped(Int(Double(objects) / seconds))) \(unit)/s"
  }

  private func elapsed(_ now: ContinuousClock.Instant) -> Duration {
    start.duration(to: now)
  }
}
