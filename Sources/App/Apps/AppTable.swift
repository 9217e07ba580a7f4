import GatehouseBSON

/// The apps of a server by their names, and what is known of those that are closed.
struct AppTable {
  enum State {
    case opening(Task<OpenApp, any Error>)
    case open(OpenApp)
    case closing(Task<Void, Never>)
  }

  struct Entry {
    var state: State
    var leases = 0
    /// On the monotonic clock, in nanoseconds.
    var lastUse: UInt64
    /// Whether no more leases are given, since the app is about to be removed or closed.
    var isEnding = false

    /// The app where it is open.
    var app: OpenApp? { if case .open(let app) = state { app } else { nil } }
  }

  var names: Set<AppName> = []
  /// The names by the claim of their domain.
  var domains: [String: AppName] = [:]
  /// The apps that are open, or about to be, or to be closed.
  var entries: [AppName: Entry] = [:]
  /// When closed apps have something to do.
  var wakeTimes: [AppName: Date] = [:]
  /// The apps that are being removed or changed, which nobody can use meanwhile.
  var withheld: Set<AppName> = []
  /// Why apps could not be opened.
  var failures: [AppName: AppFailure] = [:]
  /// The files of closed apps that have triggers, which other processes may write.
  var stamps: [AppName: FileStamp] = [:]
  var isStopped = false
}
