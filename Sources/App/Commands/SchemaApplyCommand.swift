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
  let renames: SchemaRenames
  let directory: String

  init(_ arguments: Arguments, settings: Settings) throws {
    file = arguments.operands[0]
    isDestructive = try arguments.isSet("--destructive")
    directory = settings.data
    renames = try arguments.renames
    if let rename = renames.classes.first {
      throw CommandError.invalidValue(
        name: "--rename", text: "\(rename.from):\(rename.to)",
        expected: "CLASS.OLD:NEW; a step in the folder migrations renames a class")
    }
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
  /// Classes and properties that keep their data under other names.
  static let rename = Synopsis.Option(
    name: "--rename", value: "CLASS:NEW,CLASS.OLD:NEW",
    help: """
      Let a class or a property keep its data under another name; several are separated by commas, and properties are those of \
      classes by their new names.
      """)
}

extension Arguments {
  /// The renames that `--rename` names.
  var renames: SchemaRenames {
    get throws {
      var renames: SchemaRenames = []
      for text in options["--rename"]?.split(separator: ",") ?? [] where !renames.add(text) {
        throw CommandError.invalidValue(
          name: "--rename", text: String(text), expected: "CLASS:NEW or CLASS.OLD:NEW")
      }
      return renames
    }
  }
}
