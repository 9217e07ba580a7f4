import Glibc

/// `gatehouse init`.
struct InitCommand: Command {
  static let synopsis = Synopsis(
    "init", summary: "Makes a data directory with files to begin from.", operands: ["DIR"],
    details: """
      Writes settings with comments, a schema, roles, providers, a function, and the JSON Schema of each file for editors. Nothing \
      that is there is overwritten. Then: gatehouse serve --data DIR
      """)

  private let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    directory = arguments.operands[0]
  }

  func run() throws {
    let files = InitialFile.all
    for file in files where access("\(directory)/\(file.path)", F_OK) == 0 {
      throw CommandError.file(path: "\(directory)/\(file.path)", action: .write, code: EEXIST)
    }
    for file in files { try file.write(to: directory) }
    let names = files.map(\.path).filter { !$0.hasPrefix("formats/") }
    Output.standard.write(
      """
      \(directory) has \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "").

      Try:
        gatehouse serve --data \(directory)
        gatehouse serve --data \(directory) --dev     (objects make their classes)
        gatehouse key create --role admin --data \(directory)     (from then on callers need a key)

      """)
  }
}
