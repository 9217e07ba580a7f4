import GatehouseStorage

/// `gatehouse backup`.
struct BackupCommand: Command {
  static let synopsis = Synopsis(
    "backup", summary: "Copies the store into another directory, while a server may use it.",
    operands: ["DIR"], settings: .some(["data"]),
    details: """
      The copy is the store as it was at one moment, and a data directory of its own: to restore it, serve it. \
      DIR is created; it must not hold a store. The folders auth, functions, values and environments beside the store are \
      files of yours: copy them as such. Until the copy is complete, the server's write-ahead log keeps \
      growing.
      """)

  let destination: String
  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    destination = arguments.operands[0]
    directory = settings.data
  }

  func run() throws {
    var progress = ProgressDisplay(title: destination, unit: "KiB")
    var size = 0
    do {
      try StoreSnapshot(directory: directory).backup(to: destination) { done, total in
        size = total
        progress.update(objects: done >> 10, fraction: total == 0 ? 1 : Double(done) / Double(total))
      }
    } catch {
      progress.abandon()
      throw error
    }
    progress.finish(objects: size >> 10, verb: "copied")
  }
}
