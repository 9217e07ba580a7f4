struct HealthCommand: Command {
  static let synopsis = Synopsis("health", summary: "", settings: .all)
  init(_ arguments: Arguments, settings: Settings) {}
  func run() {}
}
