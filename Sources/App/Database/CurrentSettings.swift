import GatehouseAPI
import Synchronization

/// The settings that a running server works by: those of its start, but for what it has taken up since.
final class CurrentSettings: Sendable {
  private let settings: Mutex<Settings>

  init(_ settings: Settings) {
    self.settings = Mutex(settings)
  }

  /// Takes up some of others.
  func take(_ changed: [Setting], of others: Settings) {
    settings.withLock { settings in
      for setting in changed { _ = setting.assign(&settings, setting.text(others)) }
    }
  }

  /// Returns all of them, as administrators see them.
  func all() -> [SettingInForce] {
    let settings = settings.withLock { $0 }
    guard let sources = settings.origin?.sources else { return [] }
    return sources.inForce(settings)
  }
}
