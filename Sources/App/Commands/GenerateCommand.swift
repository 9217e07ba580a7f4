import GatehouseModel
import GatehouseStorage
import Glibc

/// `gatehouse generate`.
struct GenerateCommand: Command {
  static let synopsis = Synopsis(
    "generate", summary: "Writes a client for programs in TypeScript, Swift or Python.",
    operands: ["LANGUAGE", "FILE"],
    optionalOperands: 1,
    options: [
      Synopsis.Option(
        name: "--out", value: "DIR", help: "The directory of the client, the present one otherwise.")
    ],
    settings: .some(["data"]),
    details: """
      LANGUAGE is one of \(ClientLanguage.allCases.map(\.rawValue).joined(separator: ", ")). The client is one file without \
      dependencies: the types of a schema's classes, and their requests. The schema is that of FILE, in realm-js' notation (- \
      is standard input), or of the store. A file that was not generated is not overwritten.
      """)

  private let language: ClientLanguage
  private let file: String?
  private let directory: String
  private let output: String

  init(_ arguments: Arguments, settings: Settings) throws {
    guard let language = ClientLanguage(rawValue: arguments.operands[0]) else {
      throw CommandError.invalidValue(
        name: "LANGUAGE", text: arguments.operands[0],
        expected: ClientLanguage.allCases.map(\.rawValue).joined(separator: ", "))
    }
    self.language = language
    file = arguments.operands.count > 1 ? arguments.operands[1] : nil
    directory = settings.data
    output = arguments.options["--out"] ?? "."
  }

  func run() throws {
    let schema =
      if let file {
        try Schema(notation: try JSONFile.value(at: file))
      } else {
        try StoreSnapshot(directory: directory).schema
      }
    let path = "\(output)/\(language.fileName)"
    try requireGenerated(path)
    try write(language.client(for: schema), to: path)
    Output.error.write("\(path): \(schema.objectTypes.count) classes\n")
  }

  /// Throws where there is a file that somebody wrote.
  private func requireGenerated(_ path: String) throws {
    guard access(path, F_OK) == 0 else { return }
    guard try InputFile.contents(of: path).starts(with: language.mark) else {
      throw CommandError.file(path: path, action: .write, code: EEXIST)
    }
  }

  /// Puts the file in the place of the former one when all of it is there.
  private func write(_ content: [UInt8], to path: String) throws {
    guard mkdir(output, 0o777) == 0 || errno == EEXIST else {
      throw CommandError.file(path: output, action: .write, code: errno)
    }
    let partial = "\(path).partial"
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw CommandError.file(path: partial, action: .write, code: errno) }
    do {
      defer { close(descriptor) }
      try Output(descriptor: descriptor, path: partial).write(content)
    }
    guard rename(partial, path) == 0 else { throw CommandError.file(path: path, action: .write, code: errno) }
  }
}
