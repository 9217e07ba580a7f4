import GatehouseAudit
import GatehouseModel
import GatehouseStorage

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
          A transaction for every N objects: if one fails, those before it stay, and the message says up to which \
          line. Otherwise the file is one transaction: all of it or nothing, and links may lead to objects further \
          down.
          """),
    ],
    settings: .some([
      "data", "limits.objectBytes", "audit", "audit.always", "functions.directory", "functions.node",
    ]),
    details: """
      FILE holds an object a line, in plain JSON or Extended JSON; - is standard input. Other processes cannot \
      use the data directory meanwhile. Where writes of the class are always recorded, so is this.
      """)

  let objectType: String
  let file: String
  let policy: Operation.UpdatePolicy
  let batch: Int?
  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    objectType = arguments.operands[0]
    file = arguments.operands[1]
    let mode = arguments.options["--mode"] ?? Operation.UpdatePolicy.error.rawValue
    guard let policy = Operation.UpdatePolicy(rawValue: mode) else {
      throw CommandError.invalidValue(name: "--mode", text: mode, expected: "error, modified or all")
    }
    self.policy = policy
    batch = try arguments.count("--batch")
    self.settings = settings
  }

  func run() async throws {
    try await Store.with(settings.data, options: settings.importOptions) { store in
      let recording = try await settings.recording(of: store, named: "import")
      let source = try ImportSource(
        path: file, objectType: try store.schema.objectType(named: objectType), schema: store.schema,
        policy: policy)
      do {
        try await load(source, into: store, recording?.write())
      } catch {
        source.abandon()
        throw source.explained(error)
      }
      source.finish()
    }
  }

  private func load(_ source: ImportSource, into store: Store, _ record: WriteRecord?) async throws {
    guard let batch else {
      let load = {
        try await store.load(idempotency: nil, hook: record?.hook(continues: true)) {
          try source.next(ImportSource.pieceSize)
        }
      }
      _ = if let record { try await record.commit(canRepeat: false, load) } else { try await load() }
      return
    }
    while let operations = try source.next(batch) {
      var transaction = Transaction(operations)
      transaction.hook = record?.hook()
      let perform = { [transaction] in try await store.perform(transaction) }
      _ = if let record { try await record.commit(perform) } else { try await perform() }
      source.commit()
    }
  }
}
