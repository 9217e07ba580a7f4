import GatehouseAudit
import GatehouseModel
import GatehouseStorage

/// `gatehouse import`.
struct ImportCommand: Command {
  static let synopsis = Synopsis(
    "import", summary: "Loads the objects of a file into a class.", operands: ["CLASS", "FILE"],
    options: [
      Synopsis.Option(
        name: "--format", value: "csv|json|ndjson|bson|archive",
        help: """
          The format of the file; otherwise its name says it (.csv, .json, .bson, .archive), or it holds an object a line. \
          gzip unpacks what ends with .gz.
          """),
      Synopsis.Option(
        name: "--collection", value: "NAME",
        help:
          "Of an archive of mongodump, the collection that is read (DB.NAME, or NAME); otherwise the class's name."
      ),
      Synopsis.Option(
        name: "--map", value: "NAME=PROPERTY,…",
        help: "The properties of columns or members that have other names in the file."),
      Synopsis.Option(
        name: "--ignore-unknown", value: nil,
        help: "Leave out columns and members that the class has no property for."),
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
      Synopsis.Option(
        name: "--on-error", value: "stop|skip",
        help: """
          What becomes of the import where an object is refused: it stops (the default), or goes on without that \
          object. Then there is a transaction for every N objects (--batch, otherwise 1000), and objects that link to \
          others further down wait in memory for these.
          """),
      Synopsis.Option(
        name: "--rejects", value: "FILE",
        help: """
          With --on-error skip, writes the refused objects to a new file of the same format, each with the reason as \
          _error, which is left out when that file is imported.
          """),
    ],
    settings: .some([
      "data", "limits.objectBytes", "audit", "audit.always", "functions.directory", "functions.node",
    ]),
    details: """
      FILE is CSV (RFC 4180, with a header), an array of JSON, lines of JSON, each plain or Extended, or documents \
      of BSON, each also in an archive of mongodump; - is standard input. Other processes cannot \
      use the data directory meanwhile. Where writes of the class are always recorded, so is this.
      """)

  /// Where nobody says how many objects one transaction has.
  private static let skippingBatch = 1000

  let options: ImportOptions
  let batch: Int?
  let skips: Bool
  let rejects: String?
  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    options = try ImportOptions(arguments)
    batch = try arguments.count("--batch")
    switch arguments.options["--on-error"] ?? "stop" {
    case "stop": skips = false
    case "skip": skips = true
    case let text: throw CommandError.invalidValue(name: "--on-error", text: text, expected: "stop or skip")
    }
    rejects = arguments.options["--rejects"]
    if let rejects, !skips {
      throw CommandError.invalidValue(
        name: "--rejects", text: rejects, expected: "given with --on-error skip")
    }
    self.settings = settings
  }

  func run() async throws {
    try await Store.with(settings.data, options: settings.importOptions) { store in
      let recording = try await settings.recording(of: store, named: "import")
      let source = try ImportSource(
        options, of: try store.schema.objectType(named: options.objectType), in: store.schema)
      do {
        if skips {
          try await skip(source, into: store, recording?.write())
        } else {
          try await load(source, into: store, recording?.write())
          source.finish()
        }
      } catch {
        source.abandon()
        throw source.explained(error)
      }
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
      try await store.perform(operations, record)
      source.commit()
    }
  }

  private func skip(_ source: ImportSource, into store: Store, _ record: WriteRecord?) async throws {
    let rejected = try RejectedObjects(of: source, to: rejects)
    let skipping = try SkippingImport(source, into: store, record, rejected: rejected)
    do {
      try await skipping.run(batch: batch ?? Self.skippingBatch)
    } catch {
      try? rejected.finish()
      throw source.partly(error, objects: skipping.count, number: nil)
    }
    source.finish(objects: skipping.count)
    try rejected.finish()
  }
}

extension Store {
  /// Performs operations as one transaction, and has it recorded.
  func perform(_ operations: [Operation], _ record: WriteRecord?) async throws {
    var transaction = Transaction(operations)
    transaction.hook = record?.hook()
    let perform = { [transaction] in try await self.perform(transaction) }
    _ = if let record { try await record.commit(perform) } else { try await perform() }
  }
}
