import GatehouseModel
import GatehouseStorage

/// `gatehouse schema apply`.
struct SchemaApplyCommand: Command {
  static let synopsis = Synopsis(
    "schema apply", summary: "Makes the classes of a file the store's.", operands: ["FILE"],
    options: [
      Synopsis.Option(
        name: "--destructive", value: nil,
        help: """
          Also drop classes and properties with the data in them, and values that their property's new type cannot hold.
          """),
      .rename,
    ],
    settings: .some(["data"]),
    details: "FILE is a JSON array of object schemas in realm-js' notation; - is standard input.")

  let file: String
  let isDestructive: Bool
  let renames: [PropertyRename]
  let directory: String

  init(_ arguments: Arguments, settings: Settings) throws {
    file = arguments.operands[0]
    isDestructive = try arguments.isSet("--destructive")
    directory = settings.data
    renames = try arguments.renames
  }

  func run() async throws {
    let schema = try Schema(notation: try JSONFile.value(at: file))
    let outcome = try await Store.with(directory) { store in
      try await store.apply(schema, destructive: isDestructive, renames: renames)
    }
    let classes = "\(schema.objectTypes.count) classes"
    Output.error.write(
      outcome.changed
        ? "\(classes), version \(outcome.version)\n"
        : "\(classes), nothing to change\n")
  }
}

extension Synopsis.Option {
  /// Properties that keep their data under another name.
  static let rename = Synopsis.Option(
    name: "--rename", value: "CLASS.OLD:NEW",
    help: "Let a property keep its data under another name; several are separated by commas.")
}

extension Arguments {
  /// The renames that `--rename` names.
  var renames: [PropertyRename] {
    get throws {
      try (options["--rename"]?.split(separator: ",") ?? []).map { text in
        guard let rename = PropertyRename(text: text) else {
          throw CommandError.invalidValue(name: "--rename", text: String(text), expected: "CLASS.OLD:NEW")
        }
        return rename
      }
    }
  }
}
