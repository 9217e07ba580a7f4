struct ServeCommand: Command {
  static let synopsis = Synopsis("serve", summary: "", settings: .all)
  init(_ arguments: Arguments, settings: Settings) {}
  func run() {}
}
