/// The `gatehouse` program: finds the command, runs it, and says what went wrong.
public enum Program {
  /// Runs the command that the arguments name.
  ///
  /// - Returns: the exit code: 0, 1 when the command failed, 2 when it was not understood.
  public static func run(arguments: some Sequence<String>, environment: Environment) async -> Int32 {
    do {
      defer { finishOutput() }
      try await command(Array(arguments), environment).run()
      return 0
    } catch let error as CommandError {
      return report(error.text, hint: error.hint, code: error.isUsage ? 2 : 1)
    } catch {
      return report(FailureText.of(error), hint: nil, code: 1)
    }
  }

  /// Has written what was told while the command ran.
  private static func finishOutput() {
    BackgroundOutput.standard.finish()
    BackgroundOutput.error.finish()
  }

  private static func command(
    _ arguments: [String], _ environment: Environment
  ) throws -> any Command {
    let (type, rest) = try CommandTable.find(arguments)
    if rest.contains(where: { $0 == "--help" || $0 == "-h" }) {
      return HelpCommand(topic: type.synopsis.name)
    }
    let parsed = try Arguments(rest, synopsis: type.synopsis)
    guard type.synopsis.settings != .none else { return try type.init(parsed, settings: Settings()) }
    let sources = SettingsSources(environment, flags: parsed.settings)
    let stamp = sources.stamp
    var settings = try Settings(sources)
    settings.origin = (sources, stamp)
    if type.synopsis.takesApp, let app = parsed.app {
      if let slash = app.firstIndex(of: "/"), !type.synopsis.takesGroup {
        throw CommandError.invalidValue(
          name: Synopsis.app.name, text: app,
          expected: "\(app[..<slash]): keys and users belong to an app, whatever groups its classes are in")
      }
      settings = try settings.settings(ofAppNamed: app)
    }
    return try type.init(parsed, settings: settings)
  }

  private static func report(_ text: String, hint: String?, code: Int32) -> Int32 {
    Output.error.write("gatehouse: \(text)\n")
    if let hint { Output.error.write("\(hint)\n") }
    return code
  }
}
