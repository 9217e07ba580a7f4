import GatehouseStorage
import Glibc

/// `gatehouse backup`.
struct BackupCommand: Command {
  static let synopsis = Synopsis(
    "backup", summary: "Copies all that makes the service into another directory, while a server may use it.",
    operands: ["DIR"], settings: .some(["data", "functions.directory"]),
    details: """
      That is the store as it was at one moment, with users, keys and the secrets that tokens are signed with; the files \
      gatehouse.json and schema.json; and the folders audit, auth, environments, formats, functions, migrations and values. \
      DIR is created; it must not hold a store. It has a manifest with the SHA-256 of each file, backup.json: \
      “gatehouse restore DIR NEW” makes a data directory of it. Until the copy is complete, the server's \
      write-ahead log keeps growing.
      """)

  let destination: String
  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    destination = arguments.operands[0]
    self.settings = settings
    // A folder would grow by its own copy.
    for name in BackupEntry.names where BackupCommand.isInside(destination, "\(settings.data)/\(name)") {
      throw CommandError.invalidValue(
        name: "DIR", text: destination, expected: "a directory that is not itself backed up")
    }
  }

  func run() throws {
    if !settings.functionsDirectory.isEmpty {
      Output.error.write(
        """
        gatehouse: the functions in \(settings.functionsDirectory) are not in the backup: not in the data directory

        """)
    }
    var progress = ProgressDisplay(title: destination, unit: "KiB")
    do {
      let manifest = try DirectoryBackup(path: destination).write(
        of: settings.data, program: VersionCommand.version
      ) { done, total in
        progress.update(objects: done >> 10, fraction: total == 0 ? 1 : Double(done) / Double(total))
      }
      progress.finish(objects: manifest.size >> 10, verb: "copied")
    } catch {
      progress.abandon()
      throw error
    }
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
