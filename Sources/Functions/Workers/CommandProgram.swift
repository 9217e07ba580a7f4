/// Runs a function as any program: calls are lines on its standard input, answers on its standard output.
struct CommandProgram {
  let directory: String

  func program(of function: Function) throws(FunctionError) -> WorkerProgram {
    let command: [String] =
      switch function.source {
      case .command(let words): words
      case .file(let file): ["./\(file)"]
      case .closure: []
      }
    guard let name = command.first, let path = ProgramPath.find(name, from: directory) else {
      throw .runtimeMissing(program: command.first ?? function.name)
    }
    return WorkerProgram(
      path: path, arguments: command, directory: directory, environment: ProgramPath.environment,
      framing: .lines, memory: UInt64(function.memoryLimit ?? 0) << 20,
      startsProcesses: function.startsProcesses)
  }
}
