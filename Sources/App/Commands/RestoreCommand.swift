import GatehouseBSON
import Glibc

/// `gatehouse restore`.
struct RestoreCommand: Command {
  static let synopsis = Synopsis(
    "restore", summary: "Makes a data directory of a backup.", operands: ["BACKUP", "DIR"],
    optionalOperands: 1,
    options: [
      Synopsis.Option(
        name: "--at", value: "TIME|VERSION",
        help: """
          Of several backups, the last one that is not after that time, such as 2026-11-25T14:45:00Z, or that version; otherwise \
          the newest.
          """),
      Synopsis.Option(
        name: "--list", value: nil, help: "Print the backups that there are, and restore none."),
    ],
    details: """
      BACKUP is a directory that “backup DIR” made, or a place of “backup --to PLACE”. \
      DIR becomes what the data directory was, with the modes of its files; it must be empty or not be there. Every file is \
      compared with its SHA-256. If the command is ended half-way, no server starts on DIR until it has been run again. \
      What root restores belongs to the owner of DIR.
      """)

  private let source: String
  private let location: BackupLocation
  /// Nil: backups are listed.
  private let directory: String?
  private let point: RestorePoint

  init(_ arguments: Arguments, settings: Settings) throws {
    source = arguments.operands[0]
    location = try BackupLocation(source)
    point = try arguments.value("--at", RestorePoint.init, expected: RestorePoint.expectation) ?? .last
    if try arguments.isSet("--list") {
      if arguments.operands.count > 1 {
        throw CommandError.surplusOperand(arguments.operands[1], command: "restore --list")
      }
      directory = nil
    } else {
      guard arguments.operands.count > 1 else { throw CommandError.missingOperand("DIR", command: "restore") }
      directory = arguments.operands[1]
    }
  }

  func run() async throws {
    if case .directory(let path) = location, access("\(path)/\(BackupFolder.backups.rawValue)", F_OK) != 0 {
      try await restore(DirectoryBackup(path: path))
    } else {
      try await restore(from: try location.place(.current))
    }
  }

  private func restore(_ backup: DirectoryBackup) async throws {
    let manifest = try backup.manifest
    let name = BackupName(time: manifest.time, version: manifest.version)
    guard let directory else { return Output.standard.write("\(name)\n") }
    guard point.choice(of: [name]) != nil else { throw CommandError.backup(source, .tooYoung) }
    try await restore(manifest, into: directory) { entry, path, progress in
      try backup.copy(entry, to: path)
      if case .file(_, let size, _) = entry.kind { progress(size) }
    }
  }

  private func restore(from place: any BackupPlace) async throws {
    let names = try await place.names(in: .backups).compactMap(BackupName.init)
    guard let directory else {
      return Output.standard.write(names.sorted().map { "\($0)\n" }.joined())
    }
    guard !names.isEmpty else { throw CommandError.backup(source, .missing) }
    guard let name = point.choice(of: names) else { throw CommandError.backup(source, .tooYoung) }
    let reader = BackupReader(place: place, backup: try await StoredBackup.read(name, from: place))
    try await restore(reader.manifest, into: directory) { entry, path, progress in
      try await reader.copy(entry, to: path, progress: progress)
    }
  }

  private func restore(
    _ manifest: BackupManifest, into directory: String,
    content: (_ entry: BackupEntry, _ path: String, _ progress: (Int) -> Void) async throws -> Void
  ) async throws {
    var progress = ProgressDisplay(title: directory, unit: "KiB")
    var done = 0
    let total = manifest.size
    do {
      try await Restoration(into: directory).run(manifest) { entry, path in
        try await content(entry, path) { size in
          done += size
          progress.update(objects: done >> 10, fraction: Double(done) / Double(max(total, 1)))
        }
      }
    } catch {
      progress.abandon()
      throw error
    }
    progress.finish(objects: total >> 10, verb: "restored")
    Output.error.write("\(directory) is as of \(manifest.time), version \(manifest.version)\n")
  }
}
