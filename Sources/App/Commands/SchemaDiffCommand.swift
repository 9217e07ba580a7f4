import GatehouseModel
import GatehouseStorage

/// `gatehouse schema diff`.
struct SchemaDiffCommand: Command {
  static let synopsis = Synopsis(
    "schema diff", summary: "Tells what would make one schema of another.", operands: ["FILE", "OTHER"],
    optionalOperands: 1, settings: .some(["data"]),
    details: """
      A line for each difference, destructive ones marked: what applying FILE to the store would change, or what \
      makes OTHER of FILE. The store may be in use. Equal schemas give no line.
      """)

  let file: String
  let other: String?
  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    file = arguments.operands[0]
    other = arguments.operands.count > 1 ? arguments.operands[1] : nil
    directory = settings.data
  }

  func run() throws {
    let schema = try Schema(notation: try JSONFile.value(at: file))
    let difference =
      if let other {
        schema.difference(to: try Schema(notation: try JSONFile.value(at: other)))
      } else {
        try StoreSnapshot(directory: directory).schema.difference(to: schema)
      }
    for change in difference.changes { Output.standard.write("\(change)\n") }
  }
}
