import GatehouseBSON
import GatehouseServer
import GatehouseStorage
import Glibc

/// `gatehouse backup`.
struct BackupCommand: Command {
  static let synopsis = Synopsis(
    "backup", summary: "Copies all that makes the service, while a server may use it.",
    operands: ["DIR"], optionalOperands: 1,
    options: [
      Synopsis.Option(
        name: "--to", value: "PLACE",
        help: """
          Keep the backup among others: in a directory (a path, or file:///path) or a bucket (s3://BUCKET/PREFIX), with what \
          has changed since the one before.
          """),
      Synopsis.Option(
        name: "--every", value: "TIME",
        help: "With --to: run until SIGTERM, and make one so often, such as 10m."),
      Synopsis.Option(
        name: "--keep", value: "N|TIME",
        help: """
          With --to: remove backups that are not among the newest N, or that nobody needs who goes back no further than a \
          time, such as 7d.
          """),
    ],
    settings: .some(["data", "functions.directory"]),
    details: """
      That is the store as it was at one moment, with users, keys and the secrets that tokens are signed with; and the files and \
      folders \(BackupEntry.names.dropLast().joined(separator: ", ")) and \(BackupEntry.names.last ?? ""). \
      DIR is created; it must not hold a store. It has a manifest with the SHA-256 of each file, backup.json: \
      “gatehouse restore DIR NEW” makes a data directory of it. Until the copy is complete, the server's \
      write-ahead log keeps growing. A bucket's server and credentials come from the variables of the AWS command line: \
      AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL, AWS_CA_BUNDLE.
      """)

  /// Where the backup goes.
  private enum Destination {
    case directory(String)
    case place(BackupLocation, any BackupPlace)
  }

  private let destination: Destination
  private let interval: Int?
  private let retention: BackupRetention?
  private let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    self.settings = settings
    interval = try arguments.value("--every", TimeSpan.seconds, expected: TimeSpan.expectation)
    retention = try arguments.value("--keep", BackupRetention.init, expected: BackupRetention.expectation)
    guard let to = arguments.options["--to"] else {
      guard let directory = arguments.operands.first else {
        throw CommandError.missingOperand("DIR or --to PLACE", command: "backup")
      }
      for option in ["--every", "--keep"] where arguments.options[option] != nil {
        throw CommandError.missingOption("--to PLACE", neededBy: option)
      }
      destination = .directory(directory)
      try BackupCommand.check(directory, settings)
      return
    }
    if let operand = arguments.operands.first {
      throw CommandError.surplusOperand(operand, command: "backup --to")
    }
    let location = try BackupLocation(to)
    if case .directory(let path) = location { try BackupCommand.check(path, settings) }
    destination = .place(location, try location.place(.current))
  }

  /// Refuses a directory that is part of what is backed up: a folder would grow by its own copy.
  private static func check(_ path: String, _ settings: Settings) throws {
    for name in BackupEntry.names where isInside(path, "\(settings.data)/\(name)") {
      throw CommandError.invalidValue(
        name: "DIR", text: path, expected: "a directory that is not itself backed up")
    }
  }

  func run() async throws {
    if !settings.functionsDirectory.isEmpty {
      Output.error.write(
        """
        gatehouse: the functions in \(settings.functionsDirectory) are not in the backup: not in the data directory

        """)
    }
    switch destination {
    case .directory(let path): try copy(to: path)
    case .place(let location, let place):
      try location.check()
      if let interval { try await repeatBackups(in: place, interval) } else { try await makeOne(in: place) }
    }
  }

  private func copy(to path: String) throws {
    var progress = ProgressDisplay(title: path, unit: "KiB")
    do {
      let manifest = try DirectoryBackup(path: path).write(
        of: settings.data, program: ProductVersion.text
      ) { done, total in
        progress.update(objects: done >> 10, fraction: total == 0 ? 1 : Double(done) / Double(total))
      }
      progress.finish(objects: manifest.size >> 10, verb: "copied")
    } catch {
      progress.abandon()
      throw error
    }
  }

  private func makeOne(in place: any BackupPlace) async throws {
    let writer = BackupWriter(of: settings.data, to: place, program: ProductVersion.text)
    var progress = ProgressDisplay(title: "backup", unit: "KiB")
    do {
      let outcome = try await writer.run { done, total in
        progress.update(objects: done >> 10, fraction: total == 0 ? 1 : Double(done) / Double(total))
      }
      progress.finish(objects: ((outcome?.bytes ?? 0) + 1023) >> 10, verb: "written")
      if let outcome { Output.error.write("backup of \(outcome.name)\n") }
    } catch {
      progress.abandon()
      throw error
    }
    guard let retention else { return }
    var cleanup = BackupCleanup()
    let count = try await cleanup.run(in: place, retention, now: .now)
    if count > 0 { Output.error.write("\(count) \(count == 1 ? "backup" : "backups") removed\n") }
  }

  /// Ends when a signal says so.
  private func repeatBackups(in place: any BackupPlace, _ interval: Int) async throws {
    let signals = try ServiceSignals()
    let activation = Activation.fromEnvironment()
    let schedule = BackupSchedule(
      directory: settings.data, place: place, program: ProductVersion.text, interval: .seconds(interval),
      retention: retention,
      report: { Output.error.tell("gatehouse: \($0)\n") })
    activation.notify("READY=1")
    let work = Task { await schedule.run() }
    for await request in signals.requests where request == .stop { break }
    activation.notify("STOPPING=1")
    work.cancel()
    await work.value
  }

  /// Whether the path, of which the end need not be there, is in the folder.
  private static func isInside(_ path: String, _ folder: String) -> Bool {
    guard let folder = real(folder) else { return false }
    var path = path[...]
    while true {
      if let place = real(String(path)) { return "\(place)/".hasPrefix("\(folder)/") }
      guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return false }
      path = path[..<slash]
    }
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
