public import GatehouseBSON

/// A moment of the store, as clients name it.
public enum Moment: Hashable, Sendable {
  case version(Int64)
  case time(Date)
  case present
}

extension Reader {
  /// Returns the version that the store had at a moment: at a time that of the last commit up to then.
  ///
  /// Throws ``StorageError/versionAhead``, and ``StorageError/positionExpired`` where the log does not reach back.
  public func version(at moment: Moment) throws(StorageError) -> Int64 {
    try currentSnapshot { _ throws(StorageError) in
      let log = LogReader(session: session)
      let bounds = try log.bounds()
      let version =
        switch moment {
        case .version(let version): version
        case .present: bounds.last
        case .time(let time): try log.last(before: time.next.storedText, bounds)
        }
      guard version <= bounds.last else { throw .versionAhead }
      guard version >= bounds.floor else { throw .positionExpired }
      return version
    }
  }
}

extension Date {
  /// The time that comes next.
  fileprivate var next: Date {
    nanoseconds == 999_999_999
      ? Date(seconds: seconds + 1, nanoseconds: 0) : Date(seconds: seconds, nanoseconds: nanoseconds + 1)
  }
}
