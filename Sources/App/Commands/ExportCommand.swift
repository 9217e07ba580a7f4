import Model
import Query
import Storage

/// `gatehouse export`.
struct ExportCommand: Command {
  static let synopsis = Synopsis(
    "export", summary: "Writes the objects of a class to standard output as NDJSON.", operands: ["CLASS"],
    settings: .some(["data"]),
    details: """
      An object a line, in the plain JSON that import reads, in the order in which the objects, or links to \
      them, came into the store. \
      Other processes cannot use the data directory meanwhile.
      """)

  let objectType: String
  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    objectType = arguments.operands[0]
    directory = settings.data
  }

  func run() async throws {
    try await Store.with(directory) { store in
      let objectType = try store.schema.objectType(named: objectType)
      try export(
        Plan(
          objectType: objectType.name, predicate: .always, pageSize: ExportCommand.pageSize,
          projection: .all(of: objectType)), from: try store.makeReader())
    }
  }

  private static let pageSize = 500

  // This process alone has the directory, so that the pages fit together.
  private func export(_ plan: Plan, from reader: Reader) throws {
    var plan = plan
    var progress = ProgressDisplay(title: plan.objectType)
    let total = try reader.counts().first { $0.objectType == plan.objectType }?.count ?? 0
    var objects = 0
    var bytes: [UInt8] = []
    repeat {
      bytes.removeAll(keepingCapacity: true)
      let page = try reader.page(plan, as: .json, framing: .sequence, into: &bytes)
      try Output.standard.write(bytes)
      objects += page.count
      plan.cursor = page.next
      progress.update(objects: objects, fraction: total == 0 ? 1 : Double(objects) / Double(total))
    } while plan.cursor != nil
    progress.finish(objects: objects, verb: "exported")
  }
}
