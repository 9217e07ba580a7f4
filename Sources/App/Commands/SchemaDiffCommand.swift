import GatehouseModel
import GatehouseStorage

/// `gatehouse schema diff`.
struct SchemaDiffCommand: Command {
  static let synopsis = Synopsis(
    "schema diff", summary: "Tells what would make one schema of another.", operands: ["FILE", "OTHER"],
    optionalOperands: 1, options: [.rename], settings: .some(["data"]),
    details: """
      A line for each difference, destructive ones marked: what applying FILE to the store would change, or what \
      makes OTHER of FILE. The store may be in use. Equal schemas give no line.
      """)

  let file: String
  let other: String?
  let renames: SchemaRenames
  let directory: String

  init(_ arguments: Arguments, settings: Settings) throws {
    file = arguments.operands[0]
    other = arguments.operands.count > 1 ? arguments.operands[1] : nil
    renames = try arguments.renames
    directory = settings.data
  }

  func run() throws {
    let schema = try Schema(notation: try JSONFile.value(at: file))
    let (old, new) =
      if let other {
        (schema, try Schema(notation: try JSONFile.value(at: other)))
      } else {
        (try StoreSnapshot(directory: directory).schema, schema)
      }
    for change in try old.difference(to: new, renaming: renames) { Output.standard.write("\(change)\n") }
  }
}
