import GatehouseStorage

/// `gatehouse compact`.
struct CompactCommand: Command {
  static let synopsis = Synopsis(
    "compact", summary: "Rewrites the store's file without the room that deletions left.",
    settings: .some(["data"]),
    details: """
      Takes as much room again while it works. Other processes cannot use the data directory meanwhile. Commits with a \
      time later than now, made while the clock was ahead, get the present time.
      """)

  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
  }

  func run() throws {
    let outcome = try Compaction.run(directory: directory)
    let (before, after) = (
      Quantity.grouped(outcome.sizeBefore >> 10), Quantity.grouped(outcome.sizeAfter >> 10)
    )
    Output.error.write("\(before) KiB before, \(after) KiB after\n")
    if outcome.correctedTimes > 0 {
      Output.error.write(
        "\(Quantity.grouped(outcome.correctedTimes)) commits were later than now, and are no longer\n")
    }
  }
}
