import GatehouseAudit
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// `gatehouse export`.
struct ExportCommand: Command {
  static let synopsis = Synopsis(
    "export", summary: "Writes the objects of a class to standard output as NDJSON.", operands: ["CLASS"],
    settings: .some(["data", "audit", "audit.always", "functions.directory", "functions.node"]),
    details: """
      An object a line, in the plain JSON that import reads, in the order in which the objects, or links to \
      them, came into the store. \
      Other processes cannot use the data directory meanwhile. Where reads of the class are always recorded, so is \
      this.
      """)

  let objectType: String
  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) {
    objectType = arguments.operands[0]
    self.settings = settings
  }

  func run() async throws {
    try await Store.with(settings.data) { store in
      let recording = try await settings.recording(of: store, named: "export")
      let objectType = try store.schema.objectType(named: objectType)
      try await export(
        Plan(
          objectType: objectType.name, predicate: .always, pageSize: ExportCommand.pageSize,
          projection: .all(of: objectType)), from: try store.makeReader(), recording)
    }
  }

  private static let pageSize = 500

  private func read(
    _ plan: Plan, from reader: Reader, _ recording: Recording?
  ) async throws -> (page: Reader.Page, bytes: [UInt8]) {
    func read(_ reader: Reader) throws -> (Reader.Page, [UInt8]) {
      var bytes: [UInt8] = []
      return (try reader.page(plan, as: .json, framing: .sequence, into: &bytes), bytes)
    }
    guard let recording, recording.recordsReads else { return try read(reader) }
    let (answer, observation) = try reader.observing(read)
    try await recording.record([observation], as: .query)
    return answer
  }

  // This process alone has the directory, so that the pages fit together.
  private func export(_ plan: Plan, from reader: Reader, _ recording: Recording?) async throws {
    var plan = plan
    var progress = ProgressDisplay(title: plan.objectType)
    let total = try reader.counts().first { $0.objectType == plan.objectType }?.count ?? 0
    var objects = 0
    repeat {
      let (page, bytes) = try await read(plan, from: reader, recording)
      try Output.standard.write(bytes)
      objects += page.count
      plan.cursor = page.next
      progress.update(objects: objects, fraction: total == 0 ? 1 : Double(objects) / Double(total))
    } while plan.cursor != nil
    progress.finish(objects: objects, verb: "exported")
  }
}
