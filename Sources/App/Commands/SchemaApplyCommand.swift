import Model
import Storage

/// `gatehouse schema apply`.
struct SchemaApplyCommand: Command {
  static let synopsis = Synopsis(
    "schema apply", summary: "Makes the classes of a file the store's.", operands: ["FILE"],
    options: [
      Synopsis.Option(
        name: "--destructive", value: nil,
        help: "Also drop classes and properties, and change types, with the data in them.")
    ],
    settings: .some(["data"]),
    details: "FILE is a JSON array of object schemas in realm-js' notation; - is standard input.")

  let file: String
  let isDestructive: Bool
  let directory: String

  init(_ arguments: Arguments, settings: Settings) throws {
    file = arguments.operands[0]
    isDestructive = try arguments.isSet("--destructive")
    directory = settings.data
  }

  func run() async throws {
    let schema = try Schema(notation: try JSONFile.value(at: file))
    let outcome = try await Store.with(directory) { store in
      try await store.apply(schema, destructive: isDestructive)
    }
    let classes = "\(schema.objectTypes.count) classes"
    Output.error.write(
      outcome.changed
        ? "\(classes), version \(outcome.version)\n"
        : "\(classes), nothing to change\n")
  }
}
