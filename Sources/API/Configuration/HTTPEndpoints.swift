import GatehouseHTTP
import Synchronization

/// The HTTPS endpoints of a server, one for all event loops: an operator may change them while it runs.
public final class HTTPEndpoints: Sendable {
  private let endpoints = Mutex<[HTTPEndpoint]>([])
  private let dataAPI = Mutex(DataAPIConfiguration())

  public init() {}

  /// Answers these from now on, and no others.
  public func use(_ newEndpoints: [HTTPEndpoint]) {
    endpoints.withLock { $0 = newEndpoints }
  }

  /// Serves the Data API as that says from now on.
  public func use(_ configuration: DataAPIConfiguration) {
    dataAPI.withLock { $0 = configuration }
  }

  /// Whether clients get answers of the Data API.
  var servesDataAPI: Bool { dataAPI.withLock { $0.isServed } }

  /// Returns the endpoint for a method at a route; one that takes just that method comes before one that takes any.
  func endpoint(for method: Method, at route: String) -> HTTPEndpoint? {
    endpoints.withLock { endpoints in
      let found = endpoints.filter { $0.route == route && !$0.isDisabled }
      return found.first { $0.method == method } ?? found.first { $0.method == nil }
    }
  }
}
