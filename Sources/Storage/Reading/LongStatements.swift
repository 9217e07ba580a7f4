import GatehouseSharing

/// Remembers the statements that were stopped because they took longer than an event loop has time for, so that they are
/// not begun there again in vain.
///
/// Each time that a statement is stopped, twice as many of its next runs for the same caller are left out, up to
/// ``mostSkipped``; then it is tried once more, since other constants or other objects may have made it brief. One that
/// was brief is forgotten. Callers are told apart, so that nobody's queries wait for a thread because of another's.
struct LongStatements {
  /// A statement, as somebody runs it.
  struct Run: Hashable {
    /// The number of the statement's text.
    let statement: Int
    /// The order of magnitude of the objects that it may give.
    let magnitude: Int

    init(statement: Int, atMost objects: Int = .max) {
      self.statement = statement
      magnitude = objects.leadingZeroBitCount
    }
  }

  private struct Key: Hashable {
    let run: Run
    let caller: Caller
  }

  private struct Entry {
    /// Runs that are still left out.
    var left: Int
    /// Runs that are left out after it was stopped.
    var period: Int
  }

  static let mostSkipped = 63
  /// The most entries.
  static let capacity = 8192

  private var entries = GenerationalCache<Key, Entry>(budget: capacity)

  var isEmpty: Bool { entries.isEmpty }

  /// Whether the run that is about to begin had better be left out.
  mutating func skips(_ run: Run, for caller: Caller) -> Bool {
    let key = Key(run: run, caller: caller)
    guard var entry = entries[key], entry.left > 0 else { return false }
    entry.left -= 1
    entries.add(entry, for: key)
    return true
  }

  /// The run was stopped.
  mutating func addStopped(_ run: Run, for caller: Caller) {
    let key = Key(run: run, caller: caller)
    let period = min(2 * (entries[key]?.period ?? 0) + 1, Self.mostSkipped)
    entries.add(Entry(left: period, period: period), for: key)
  }

  /// The run ended by itself.
  mutating func addBrief(_ run: Run, for caller: Caller) {
    entries.remove(Key(run: run, caller: caller))
  }
}
