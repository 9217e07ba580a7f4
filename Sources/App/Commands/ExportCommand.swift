struct ExportCommand: Command {
  static let synopsis = Synopsis("export", summary: "", settings: .all)
  init(_ arguments: Arguments, settings: Settings) {}
  func run() {}
}
