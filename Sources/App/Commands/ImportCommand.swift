struct ImportCommand: Command {
  static let synopsis = Synopsis("import", summary: "", settings: .all)
  init(_ arguments: Arguments, settings: Settings) {}
  func run() {}
}
