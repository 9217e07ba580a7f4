import GatehouseAccess
import Synchronization

/// The providers by which users log in at the moment: an operator may change them while the server runs.
final class ProvidersInForce: Sendable {
  private let providers: Mutex<Providers>

  init(_ providers: Providers) {
    self.providers = Mutex(providers)
  }

  var current: Providers { providers.withLock { $0 } }

  func replace(by newProviders: Providers) {
    providers.withLock { $0 = newProviders }
  }
}
