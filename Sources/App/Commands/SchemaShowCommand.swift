import GatehouseAPI
import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// `gatehouse schema show`.
struct SchemaShowCommand: Command {
  static let synopsis = Synopsis(
    "schema show", summary: "Writes a schema, also for tools that make programs of it.", operands: ["FILE"],
    optionalOperands: 1,
    options: [
      Synopsis.Option(
        name: "--format", value: "FORMAT",
        help: "notation (realm-js', the default), openapi, or jsonschema.")
    ],
    settings: .some(["data"]),
    details: """
      The schema of FILE, a JSON array of object schemas in realm-js' notation; - is standard input. Without FILE that of the \
      store, which may be in use.
      """)

  private let file: String?
  /// Nil: the notation.
  private let format: ClassesDocument.Format?
  private let directory: String

  init(_ arguments: Arguments, settings: Settings) throws {
    file = arguments.operands.first
    directory = settings.data
    let name = arguments.options["--format"] ?? "notation"
    format = ClassesDocument.Format(rawValue: name)
    if format == nil, name != "notation" {
      throw CommandError.invalidValue(
        name: "--format", text: name, expected: "notation, openapi or jsonschema")
    }
  }

  func run() throws {
    let schema =
      if let file {
        try Schema(notation: try JSONFile.value(at: file))
      } else {
        try StoreSnapshot(directory: directory).schema
      }
    let value = format.map { ClassesDocument(schema).value(as: $0) } ?? schema.notation
    try Output.standard.write(value.plainJSON + [UInt8(ascii: "\n")])
  }
}
