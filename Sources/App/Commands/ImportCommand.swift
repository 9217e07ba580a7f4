import Model
import Storage

/// `gatehouse import`.
struct ImportCommand: Command {
  static let synopsis = Synopsis(
    "import", summary: "Loads the objects of an NDJSON file into a class.", operands: ["CLASS", "FILE"],
    options: [
      Synopsis.Option(
        name: "--mode", value: "error|modified|all",
        help: """
          What becomes of an object whose primary key is taken: the import fails (the default), the values that \
          differ are written, or all values are.
          """),
      Synopsis.Option(
        name: "--batch", value: "N",
        help: """
          A transaction for every N objects. Otherwise the file is one transaction: all of it or nothing, and \
          links may lead to objects further down.
          """),
    ],
    settings: .some(["data"]),
    details: """
      FILE holds an object a line, in plain JSON or Extended JSON; - is standard input. Other processes cannot \
      use the data directory meanwhile.
      """)

  let objectType: String
  let file: String
  let policy: Operation.UpdatePolicy
  let batch: Int?
  let directory: String

  init(_ arguments: Arguments, settings: Settings) throws {
    objectType = arguments.operands[0]
    file = arguments.operands[1]
    let mode = arguments.options["--mode"] ?? Operation.UpdatePolicy.error.rawValue
    guard let policy = Operation.UpdatePolicy(rawValue: mode) else {
      throw CommandError.invalidValue(name: "--mode", text: mode, expected: "error, modified or all")
    }
    self.policy = policy
    batch = try arguments.count("--batch")
    directory = settings.data
  }

  func run() async throws {
    try await Store.with(directory) { store in
      let source = try ImportSource(
        path: file, objectType: try store.schema.objectType(named: objectType), schema: store.schema,
        policy: policy)
      do {
        try await load(source, into: store)
      } catch {
        source.abandon()
        throw source.failure ?? source.located(error)
      }
      source.finish()
    }
  }

  private func load(_ source: ImportSource, into store: Store) async throws {
    guard let batch else {
      _ = try await store.load { try source.next(ImportSource.pieceSize) }
      return
    }
    while let operations = try source.next(batch) {
      _ = try await store.perform(Transaction(operations))
      source.commit()
    }
  }
}
