import GatehouseBSON

/// A backup's table of contents.
struct BackupManifest: Hashable, Sendable {
  /// Goes up when a program of today could not restore a backup of tomorrow.
  static let format: Int64 = 1
  static let fileName = "backup.json"

  /// The version of the program that made it.
  let program: String
  /// When the store was as it is in the backup.
  let time: Date
  /// The version of the store's last commit, at which its change log ends.
  let version: Int64
  /// Folders before what is in them.
  var entries: [BackupEntry]

  var notation: Value {
    [
      "format": .int64(BackupManifest.format), "gatehouse": .string(program),
      "time": .string(time.description),
      "version": .int64(version), "files": .array(entries.map(\.notation)),
    ]
  }

  /// Throws ``CommandError`` where it is none, of this or an earlier version of the program.
  init(notation: Value, at path: String) throws(CommandError) {
    guard case .document(let members) = notation, let format = members["format"]?.wholeNumber,
      case .string(let program)? = members["gatehouse"], case .string(let time)? = members["time"],
      let time = Date(time), let version = members["version"]?.wholeNumber,
      case .array(let files)? = members["files"]
    else { throw .backup(path, .malformed) }
    guard format <= BackupManifest.format else { throw .backup(path, .laterFormat) }
    self.init(program: program, time: time, version: version, entries: [])
    for file in files {
      guard let entry = BackupEntry(notation: file) else { throw .backup(path, .malformed) }
      entries.append(entry)
    }
    guard Set(entries.map(\.path)).count == entries.count else { throw .backup(path, .malformed) }
  }

  init(program: String, time: Date, version: Int64, entries: [BackupEntry]) {
    self.program = program
    self.time = time
    self.version = version
    self.entries = entries
  }

  /// The bytes of all files; where a number can not have as many, the greatest one.
  var size: Int {
    entries.reduce(0) { sum, entry in
      guard case .file(_, let size, _) = entry.kind else { return sum }
      let (total, isTooLarge) = sum.addingReportingOverflow(size)
      return isTooLarge ? .max : total
    }
  }
}

extension Value {
  var wholeNumber: Int64? {
    switch self {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    default: nil
    }
  }
}
