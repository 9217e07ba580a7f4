import GatehouseAccess
import GatehouseHTTP
import GatehouseSharing

extension Gateway {
  /// Counts a request once: for its principal, or for its address as long as nobody is known to make it. Throws
  /// ``APIError/rateLimited(seconds:)``.
  func count(_ request: Request, by principal: Principal?, _ progress: inout Progress) throws(APIError) {
    guard let rates, !progress.isCounted else { return }
    progress.isCounted = true
    let id = principal?.id ?? ""
    // A credential has one bucket wherever it is shown.
    let caller = Caller(address: id.isEmpty ? request.peer.client : 0, principal: id)
    guard let wait = rates.take(caller) else { return }
    throw .rateLimited(seconds: Int((wait + 999_999_999) / 1_000_000_000))
  }
}
