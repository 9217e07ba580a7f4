struct SchemaApplyCommand: Command {
  static let synopsis = Synopsis("schema apply", summary: "", settings: .all)
  init(_ arguments: Arguments, settings: Settings) {}
  func run() {}
}
