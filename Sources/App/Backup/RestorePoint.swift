import GatehouseBSON

/// The state that is asked for: `--at`.
enum RestorePoint: Hashable, Sendable {
  case last
  /// Not after a time.
  case time(Date)
  /// Not after a commit.
  case version(Int64)

  static let expectation = "a time such as 2026-11-25T14:45:00Z, or a version"

  /// Nil: the text is neither a time of RFC 3339 nor a version.
  init?(_ text: String) {
    if let version = Int64(text), version >= 0 {
      self = .version(version)
    } else if let time = Date(text) {
      self = .time(time)
    } else {
      return nil
    }
  }

  /// The backup to restore: the last one that is not beyond the point; nil: all are.
  func choice(of names: some Sequence<BackupName>) -> BackupName? {
    names.filter { name in
      switch self {
      case .last: true
      case .time(let time): name.time <= time
      case .version(let version): name.version <= version
      }
    }.max()
  }
}
