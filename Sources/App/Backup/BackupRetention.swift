import GatehouseBSON

/// Which backups are kept: `--keep`.
enum BackupRetention: Hashable, Sendable {
  /// The newest, this many.
  case count(Int)
  /// All that one needs to go back by so many seconds: those that are younger, and the one before them.
  case seconds(Int)

  static let expectation = "a number of backups, or a time such as 36h or 7d"

  /// Nil: the text is neither.
  init?(_ text: String) {
    if let count = Int(text), count > 0 {
      self = .count(count)
    } else if let seconds = TimeSpan.seconds(text) {
      self = .seconds(seconds)
    } else {
      return nil
    }
  }

  /// The backups that are no longer needed; the newest one always is.
  func surplus(of names: some Sequence<BackupName>, now: Date) -> [BackupName] {
    let sorted = names.sorted()
    let surplus: ArraySlice<BackupName>
    switch self {
    case .count(let count): surplus = sorted.dropLast(count)
    case .seconds(let seconds):
      let bound = Date(seconds: now.seconds - Int64(seconds), nanoseconds: now.nanoseconds)
      surplus = sorted.prefix { $0.time <= bound }.dropLast()
    }
    precondition(surplus.count < sorted.count || sorted.isEmpty, "the newest backup is kept")
    return Array(surplus)
  }
}

/// A time span as it is typed: a number, and `s`, `m`, `h` or `d`.
enum TimeSpan {
  static let expectation = "a number with s, m, h or d, such as 10m"

  /// Returns the seconds, of at most a hundred years; nil: it is no time span, or none at all.
  static func seconds(_ text: String) -> Int? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number > 0,
      number <= 36_500 * 86_400 / unit
    else { return nil }
    return number * unit
  }
}
