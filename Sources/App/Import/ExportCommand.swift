import GatehouseAPI
import GatehouseAudit
import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// `gatehouse export`.
struct ExportCommand: Command {
  static let synopsis = Synopsis(
    "export", summary: "Writes the objects of a class to standard output.", operands: ["CLASS"],
    options: [
      Synopsis.Option(
        name: "--format", value: "csv|json|ndjson|bson",
        help: """
          CSV (RFC 4180) with a column for each property, an array of plain JSON, an object a line (the default), \
          or documents of BSON.
          """),
      Synopsis.Option(
        name: "--fields", value: "PROPERTY,…",
        help: "Which properties are written, in that order, as the parameter fields of queries has it."),
    ],
    settings: .some(["data", "audit", "audit.always", "functions.directory", "functions.node"]),
    details: """
      What is written, import reads as the same objects; BSON has no digits below a millisecond. Objects come in the \
      order in which they, or links to them, came into the store. \
      Spreadsheets take cells of CSV that begin with = + - or @ for formulas: those are written as they are. \
      Other processes cannot use the data directory meanwhile. Where reads of the class are always recorded, so is \
      this.
      """)

  let objectType: String
  let format: SequenceFormat
  let fields: String?
  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    objectType = arguments.operands[0]
    format = try SequenceFormat(option: arguments.options["--format"])
    fields = arguments.options["--fields"]
    self.settings = settings
  }

  func run() async throws {
    try await Store.with(settings.data) { store in
      let recording = try await settings.recording(of: store, named: "export")
      let schema = store.schema
      let objectType = try schema.objectType(named: objectType)
      let request = QueryRequest(selection: FieldSelection(fields: fields))
      var plan = try Plan(request: request, schema: schema, objectType: objectType.name)
      plan.pageSize = ExportCommand.pageSize
      try await export(plan, in: schema, from: try store.makeReader(), recording)
    }
  }

  private static let pageSize = 500

  private func read(
    _ plan: Plan, from reader: Reader, _ recording: Recording?
  ) async throws -> (page: Reader.Page, bytes: [UInt8]) {
    let representation: Representation = format == .bson ? .bson : .json
    func read(_ reader: Reader) throws -> (Reader.Page, [UInt8]) {
      var bytes: [UInt8] = []
      return (try reader.page(plan, as: representation, framing: .sequence, into: &bytes), bytes)
    }
    guard let recording, recording.recordsReads else { return try read(reader) }
    let (answer, observation) = try reader.observing(read)
    try await recording.record([observation], as: .query)
    return answer
  }

  // This process alone has the directory, so that the pages fit together.
  private func export(
    _ plan: Plan, in schema: Schema, from reader: Reader, _ recording: Recording?
  ) async throws {
    var plan = plan
    var progress = ProgressDisplay(title: plan.objectType)
    var file = ExportFile(format, of: plan.projection, in: schema)
    let total = try reader.counts().first { $0.objectType == plan.objectType }?.count ?? 0
    var objects = 0
    try Output.standard.write(file.beginning())
    repeat {
      let (page, bytes) = try await read(plan, from: reader, recording)
      try Output.standard.write(file.bytes(of: bytes))
      objects += page.count
      plan.cursor = page.next
      progress.update(objects: objects, fraction: total == 0 ? 1 : Double(objects) / Double(total))
    } while plan.cursor != nil
    try Output.standard.write(file.end())
    progress.finish(objects: objects, verb: "exported")
  }
}

/// Makes a file in a format of the objects as the store writes them.
private struct ExportFile: ~Copyable {
  private let format: SequenceFormat
  private var table: TableWriter
  private var isEmpty = true

  init(_ format: SequenceFormat, of projection: Projection, in schema: Schema) {
    self.format = format
    table = TableWriter(projection, in: schema)
  }

  func beginning() -> [UInt8] {
    var bytes: [UInt8] = []
    switch format {
    case .csv: table.appendHeader(to: &bytes)
    case .json: bytes.append(UInt8(ascii: "["))
    case .ndjson, .bson: break
    }
    return bytes
  }

  /// Returns what a page of objects is in the file: documents of BSON as they are, otherwise made of lines.
  mutating func bytes(of page: [UInt8]) throws -> [UInt8] {
    switch format {
    case .ndjson, .bson: return page
    case .csv:
      var rows: [UInt8] = []
      try table.append(lines: page, to: &rows)
      return rows
    case .json:
      var bytes: [UInt8] = []
      for line in page.split(separator: UInt8(ascii: "\n")) {
        bytes += isEmpty ? "\n".utf8 : ",\n".utf8
        bytes += line
        isEmpty = false
      }
      return bytes
    }
  }

  func end() -> [UInt8] {
    format == .json ? Array((isEmpty ? "]\n" : "\n]\n").utf8) : []
  }
}
