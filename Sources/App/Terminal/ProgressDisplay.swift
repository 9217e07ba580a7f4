/// Shows progress on standard error: a bar where that is a terminal, lines elsewhere.
struct ProgressDisplay: Sendable {
  private var progress: Progress

  init(title: String, unit: String = "objects") {
    progress = Progress(
      title: title, unit: unit, style: Output.error.isTerminal ? .bar : .lines, now: .now)
  }

  mutating func update(objects: Int, fraction: Double?) {
    if let text = progress.update(objects: objects, fraction: fraction, now: .now) {
      Output.error.write(text)
    }
  }

  func finish(objects: Int, verb: String) {
    Output.error.write(progress.finish(objects: objects, verb: verb, now: .now))
  }

  func abandon() {
    Output.error.write(progress.abandon())
  }
}
