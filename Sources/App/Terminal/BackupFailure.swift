/// Why a backup cannot be restored.
enum BackupFailure: Hashable, Sendable {
  case missing
  /// The manifest is none.
  case malformed
  /// A later version of the program made it.
  case laterFormat
  /// A file is not what it was when the backup was made.
  case damaged
  /// There are backups, but none that is as old as was asked for.
  case tooYoung
  /// It went while another one was made that needs what it has.
  case removed

  var text: String {
    switch self {
    case .missing: "holds no backup"
    case .malformed: "is no manifest of a backup"
    case .laterFormat: "was made by a later version of Gatehouse"
    case .damaged: "is not as it was when the backup was made"
    case .tooYoung: "holds no backup that is as old as --at asks for"
    case .removed: "was removed while a backup was made that needs what it has; the next one does without"
    }
  }
}
