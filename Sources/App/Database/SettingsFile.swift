import GatehouseAPI
import GatehouseSharing
import Synchronization

/// Has a running server take up the settings that have changed in their file, as far as it can.
final class SettingsFile: WatchedFiles {
  private let sources: SettingsSources
  /// Makes policies of settings, with the limits of rates that there were.
  private let makePolicies: @Sendable (Settings, RateLimiter?) -> RequestPolicies
  private let policies: SharedPolicies
  private let current: CurrentSettings
  /// The settings of the start.
  private let first: Settings
  /// The settings that the file had last.
  private let last: Mutex<Settings>
  /// Told of settings that cannot be taken up, and of files that are of no use.
  private let warn: @Sendable (String) -> Void

  init(
    _ settings: Settings, from sources: SettingsSources, for policies: SharedPolicies,
    noting current: CurrentSettings? = nil,
    warn: @escaping @Sendable (String) -> Void = { Output.warn($0) },
    _ makePolicies: @escaping @Sendable (Settings, RateLimiter?) -> RequestPolicies
  ) {
    self.sources = sources
    self.makePolicies = makePolicies
    self.policies = policies
    self.current = current ?? CurrentSettings(settings)
    first = settings
    last = Mutex(settings)
    self.warn = warn
  }

  var stamp: FileStamp { sources.stamp }

  func reload() async {
    let settings: Settings
    do {
      settings = try sources.settings()
      try settings.requireAgreement()
    } catch {
      return warn("\(FailureText.of(error)) (the old settings stay)")
    }
    let old = last.withLock { last in
      defer { last = settings }
      return last
    }
    let changed = settings.changes(from: old)
    if changed.contains(where: \.isLive) {
      let keepsRates =
        (old.requestsPerSecond, old.requestBurst) == (settings.requestsPerSecond, settings.requestBurst)
      policies.update { $0 = makePolicies(settings, keepsRates ? $0.rates : nil) }
      current.take(changed.filter(\.isLive), of: settings)
    }
    let waiting = settings.changes(from: first).filter { !$0.isLive }.map(\.name)
    if !waiting.isEmpty, changed.contains(where: { !$0.isLive }) {
      warn("in force when the server is started again: \(waiting.joined(separator: ", "))")
    }
  }
}

extension Settings {
  /// The settings that are not what they were in others.
  fileprivate func changes(from others: Settings) -> [Setting] {
    Settings.table.filter { $0.text(self) != $0.text(others) }
  }
}
