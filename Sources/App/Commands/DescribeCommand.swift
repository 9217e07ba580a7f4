/// `gatehouse describe`.
struct DescribeCommand: Command {
  static let synopsis = Synopsis(
    "describe", summary: "Writes the JSON Schema of a file of the data directory.", operands: ["FILE"],
    details: "FILE is one of \(FileFormat.allCases.map(\.rawValue).joined(separator: ", ")).")

  private let format: FileFormat

  init(_ arguments: Arguments, settings: Settings) throws {
    guard let format = FileFormat(rawValue: arguments.operands[0]) else {
      throw CommandError.invalidValue(
        name: "FILE", text: arguments.operands[0],
        expected: FileFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    self.format = format
  }

  func run() throws {
    try Output.standard.write(format.schema)
  }
}
