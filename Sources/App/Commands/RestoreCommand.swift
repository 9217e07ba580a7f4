import GatehouseBSON

/// `gatehouse restore`.
struct RestoreCommand: Command {
  static let synopsis = Synopsis(
    "restore", summary: "Makes a data directory of a backup.", operands: ["BACKUP", "DIR"],
    details: """
      DIR becomes what the data directory was, with the modes of its files; it must be empty or not be there. Every file is \
      compared with its SHA-256. If the command is ended half-way, no server starts on DIR until it has been run again. \
      What root restores belongs to the owner of DIR.
      """)

  let source: String
  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    source = arguments.operands[0]
    directory = arguments.operands[1]
  }

  func run() throws {
    let backup = DirectoryBackup(path: source)
    let manifest = try backup.manifest
    var progress = ProgressDisplay(title: directory, unit: "KiB")
    var done = 0
    let total = manifest.size
    do {
      try Restoration(into: directory).run(manifest) { entry, path in
        try backup.copy(entry, to: path)
        if case .file(_, let size, _) = entry.kind { done += size }
        progress.update(objects: done >> 10, fraction: Double(done) / Double(max(total, 1)))
      }
    } catch {
      progress.abandon()
      throw error
    }
    progress.finish(objects: total >> 10, verb: "restored")
    Output.error.write("\(directory) is as of \(manifest.time), version \(manifest.version)\n")
  }
}
