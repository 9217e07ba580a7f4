import Storage

/// `gatehouse compact`.
struct CompactCommand: Command {
  static let synopsis = Synopsis(
    "compact", summary: "Rewrites the store's file without the room that deletions left.",
    settings: .some(["data"]),
    details: """
      Takes as much room again while it works. Other processes cannot use the data directory meanwhile.
      """)

  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
  }

  func run() throws {
    let size = try Compaction.run(directory: directory)
    Output.error.write(
      "\(Quantity.grouped(size.before >> 10)) KiB before, \(Quantity.grouped(size.after >> 10)) KiB after\n")
  }
}
