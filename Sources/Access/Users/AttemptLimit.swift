/// How often something may fail in a while: first for whoever asks, then for what they ask about.
public struct AttemptLimit: Sendable {
  private struct Window {
    var begin: Int64
    var count: Int
  }

  /// So many are remembered; beyond that the oldest begin anew.
  private static let capacity = 16_384

  /// Seconds.
  public let period: Int64
  public let limit: Int
  private var windows: [String: Window] = [:]

  public init(limit: Int, period: Int64) {
    self.limit = limit
    self.period = period
  }

  /// Counts an attempt; returns after how many seconds there may be another where there were too many, else nil.
  public mutating func count(_ key: String, at now: Int64) -> Int? {
    if windows.count >= AttemptLimit.capacity {
      windows = windows.filter { now - $0.value.begin < period }
      if windows.count >= AttemptLimit.capacity { windows = [:] }
    }
    var window = windows[key] ?? Window(begin: now, count: 0)
    if now - window.begin >= period { window = Window(begin: now, count: 0) }
    window.count += 1
    windows[key] = window
    return window.count > limit ? Int(period - (now - window.begin)) : nil
  }

  /// The attempt succeeded: those before it count no more.
  public mutating func forget(_ key: String) {
    windows[key] = nil
  }
}
