/// One command of the command line.
protocol Command: Sendable {
  static var synopsis: Synopsis { get }

  init(_ arguments: Arguments, settings: Settings) throws
  func run() async throws
}
