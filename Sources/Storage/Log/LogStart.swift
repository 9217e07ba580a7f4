public import GatehouseBSON

/// Where reading of the change log begins.
public enum LogStart: Hashable, Sendable {
  /// With the oldest change that is kept.
  case oldest
  /// Behind the last commit.
  case latest
  /// Behind that position.
  case after(LogPosition)
  /// With the first commit at or after that time.
  case time(Date)
}
